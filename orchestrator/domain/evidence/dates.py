"""Finds the days and months that a text names, in any of the usual spellings, as all the dates they can mean."""

import re
from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from typing import NamedTuple

_MONTHS = """january jan januar jänner janvier janv enero ene gennaio gen janeiro januari
february feb februar février févr febrero febbraio fevereiro februari
march mar märz mrz mars marzo março maart
april apr avril avr abril abr aprile
may mai mayo maggio maio mei maj
june jun juni juin junio giugno giu junho
july jul juli juillet juil julio luglio lug julho
august aug août agosto augustus augusti
september sept sep septembre septiembre settembre setembro
october oct oktober okt octobre octubre ottobre ott outubro
november nov novembre noviembre novembro
december dec dezember dez décembre déc diciembre dic dicembre dezembro"""

_TIME = r"(?:[T ,]\s?\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:\s?[AaPp][Mm])?\s?(?:Z|UTC|[+-]\d{2}:?\d{2})?)?"
_BEFORE, _AFTER = r"(?<![\w/])(?<!\d[.-])(?<!\w-)", r"(?![\w/]|[.-]\d)"
_WORD = re.compile(r"[^\W\d_]{3,10}")
_BETWEEN_DATES = re.compile(r"(?<=\d{4})-(?=\d{1,2}[./]\d)|(?<=-\d\d)/(?=\d{4}-)")


class Moment(NamedTuple):
    """A day or month that a text names; `days` are (year, month, day) with 0 for what is not said."""

    start: int
    end: int
    written: str
    days: frozenset[tuple[int, int, int]]


@lru_cache(maxsize=1)
def _month_numbers() -> dict[str, int]:
    return {word: number for number, line in enumerate(_MONTHS.splitlines(), start=1) for word in line.split()}


_NUMERIC_START = re.compile(r"\d{1,4}(?=[-/.]\d{1,2}(?:[-/.]|(?!\d))|\s?[年月])")
_NUMERIC = re.compile(
    "|".join(
        (
            rf"{_BEFORE}(?P<y1>\d{{4}})(?P<s1>[-/.])(?P<m1>\d{{1,2}})(?P=s1)(?P<d1>\d{{1,2}}){_TIME}{_AFTER}",
            rf"{_BEFORE}(?P<a>\d{{1,2}})(?P<s2>[-/.])(?P<b>\d{{1,2}})(?P=s2)(?P<y2>\d{{4}}){_TIME}{_AFTER}",
            rf"{_BEFORE}(?P<a3>\d\d)(?P<s3>[-/.])(?P<b3>\d\d)(?P=s3)(?P<y3>\d\d){_TIME}{_AFTER}",
            rf"{_BEFORE}(?P<y9>\d{{4}})-(?P<m9>0[1-9]|1[0-2]){_AFTER}",
            r"(?<!\d)(?P<y4>\d{4})\s?年\s?(?P<m4>\d{1,2})\s?月(?:\s?(?P<d4>\d{1,2})\s?[日号])?",
            r"(?<!\d)(?P<m5>\d{1,2})\s?月\s?(?P<d5>\d{1,2})\s?[日号]",
        )
    )
)


@lru_cache(maxsize=1)
def _named() -> re.Pattern[str]:
    months = "|".join(sorted(_month_numbers(), key=len, reverse=True))
    month = rf"(?P<{{}}>(?:{months})(?![^\W\d_]))\.?"
    return re.compile(
        "|".join(
            (
                rf"(?<![\w.,])(?:(?P<f6>\d{{1,2}})\.?\s?[-–]\s?)?(?P<d6>\d{{1,2}})(?:st|nd|rd|th)?\.?[ -]?(?:of |de )?"
                rf"{month.format('m6')}(?:(?:[ ,'-]{{1,2}}(?:de )?(?P<y6>\d{{4}})|[-'](?P<z6>\d\d))(?!\w))?{_TIME}",
                rf"(?<!\w){month.format('m7')} (?P<d7>\d{{1,2}})(?!\d|[.,]\d|\s?[%$€£])(?:st|nd|rd|th)?"
                rf"(?:\s?[-–]\s?(?P<f7>\d{{1,2}})(?!\d))?(?:,? (?P<y7>\d{{4}})(?!\w))?",
                rf"(?<!\w){month.format('m8')}[ ,'-]{{1,2}}(?:de )?(?P<y8>\d{{4}})(?!\w)",
            )
        ),
        re.IGNORECASE,
    )


def moments(text: str) -> Iterator[Moment]:
    """The days and months named in a folded text; what has the form of a date but is none is left alone."""
    at = 0
    for match in sorted(_matches(_BETWEEN_DATES.sub("–", text)), key=lambda match: match.start()):
        days = frozenset(_days({key: value for key, value in match.groupdict().items() if value is not None}))
        if days and match.start() >= at:
            at = match.end()
            yield Moment(match.start(), at, match[0].strip(), days)


def _matches(text: str) -> Iterator[re.Match[str]]:
    for start in _NUMERIC_START.finditer(text):
        if match := _NUMERIC.match(text, start.start()):
            yield match
    at = 0
    for word in _WORD.finditer(text):
        # Trying every spelling at every place is slow, and most lines name no month.
        if word.start() >= at and word[0].casefold() in _month_numbers():
            begin, end = text.rfind("\n", 0, word.start()) + 1, text.find("\n", word.end())
            at = end if end >= 0 else len(text)
            yield from _named().finditer(text, begin, at)


def _days(parts: dict[str, str]) -> Iterator[tuple[int, int, int]]:
    for day in _candidates(parts):
        year, month, number = day
        try:
            date(year or 2000, month, number or 1)
        except ValueError:
            continue
        yield day


def _candidates(parts: dict[str, str]) -> Iterator[tuple[int, int, int]]:
    numeric = {key[0].replace("z", "y"): value for key, value in parts.items() if key[0] in "yzmdf"}
    if "a" in parts or "a3" in parts:
        first, second = int(parts.get("a", parts.get("a3", ""))), int(parts.get("b", parts.get("b3", "")))
        year = _year(numeric["y"])
        yield year, second, first
        yield year, first, second
        if "a3" in parts:
            yield 2000 + first, second, int(numeric["y"])
        return
    year = _year(numeric.get("y", "0"))
    named = numeric["m"]
    if named.islower() and not year:
        return  # `5 may be wrong` names no day
    month = int(named) if named.isdecimal() else _month_numbers()[named.casefold()]
    yield year, month, int(numeric.get("d", "0"))
    if "f" in numeric:
        yield year, month, int(numeric["f"])


def _year(written: str) -> int:
    return int(written) + (2000 if len(written) == 2 else 0)
