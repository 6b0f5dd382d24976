"""Finds what has digits but is no figure: references, codes, places such as `row 12`, years, times, versions."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from orchestrator.domain.evidence.currencies import CODES, SCALE
from orchestrator.domain.evidence.typography import MASK

NameKind = Literal["code", "place", "year"]
"""`code`: an identifier (`PO-20263973`); `place`: row or line numbers (`row 12`); `year`: a year in prose."""


class Name(NamedTuple):
    """A stretch of text that has digits but is no figure; `numbers` are the whole numbers in it."""

    kind: NameKind
    start: int
    end: int
    written: str
    numbers: tuple[int, ...]


_LEADS: dict[NameKind | None, str] = {
    "place": """row rows line lines record records entry item zeile zeilen ligne lignes fila filas righe riga no.
        nr.""",
    "year": """in since during until till year years fiscal of jahr jahre seit bis année año fy cy from between von
        zwischen""",
    None: """
        section sections chapter chapters table tables figure figures fig. step steps part parts page pages
        appendix version note notes footnote footnotes level levels phase phases round rounds option options
        choice choices article articles art. regulation iso iec rfc din ifrs ias utf ascii abschnitt kapitel
        tabelle abbildung schritt teil seite artikel""",
}
"""Words that say what the number behind them is; None: nothing that evidence could have."""
_LETTER = "A-Za-z\u00c0-\u052f"
_COUNTED = (
    rf"(?:%|[$€£¥]|(?:{'|'.join(CODES)})\b|{SCALE}"
    r"|(?i:rows?|lines?|entries|items?|records?|cases?|others?|more|days?)\b)"
)
_WHOLE = rf"\d{{1,9}}(?!\d|[.,]\d|\s?{_COUNTED})"
_NUMBERS = rf"{_WHOLE}(?:\s?(?:,|and|und|et|y|&|to|through|bis|or|-|–|、|和|至)\s?{_WHOLE})*"
_YEAR = r"(?:19|20)\d\d"
_YEAR_END = rf"(?![\w]|[.,]\d|\s?{_COUNTED})"
_LED = re.compile(r"(?<![^\W_])([^\W\d_]{1,12})(\.?)([ -]?)(?:(?:no|nr)\.[ ]?)?(?=\d)", re.IGNORECASE)
_TAILS: dict[NameKind | None, re.Pattern[str]] = {
    "place": re.compile(_NUMBERS),
    "year": re.compile(rf"{_YEAR}(?:\s(?:to|and|until|bis|und)\s{_YEAR})?{_YEAR_END}"),
    None: re.compile(rf"\d{{1,3}}(?:\.\d+)++(?!,\d)|{_NUMBERS}(?:-\d+)?"),
}
_PAIRED = frozenset({"from", "between", "von", "zwischen"})
_HIDDEN = re.compile(
    r"\{\{[^{}\n]*\}\}|https?://[^\s<>)|\]]+|www\.[^\s<>)|\]]+|\]\([^()\s]*\)|§\s?\d+(?:\.\d+)*|第\s?\d+\s?[章节页部步]|(?:图|表|步骤)\s?\d+(?![\d.,])"
    r"|(?<![\d:.,])\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:\s?[AaPp][Mm]\b)?(?![\d:])|(?<![\w.,])\d+(?:st|nd|rd|th)\b"
)
_OTHER_PLACE = re.compile(rf"(?:#|[行第]\s?){_NUMBERS}")
_OTHER_YEAR = re.compile(
    rf"(?<![\w.,/-]){_YEAR}\s?[-–/]\s?(?:{_YEAR}|\d\d)(?!\s?=|[-/.]\d){_YEAR_END}|[QqHh][1-4]\s{_YEAR}{_YEAR_END}|{_YEAR}\s?年"
)
_TOKEN = re.compile(
    rf"(?<![{_LETTER}0-9])(?=[{_LETTER}_/.#-]{{0,60}}\d)[{_LETTER}0-9]+(?:[-_/.#]+[{_LETTER}0-9]+)*(?::[0-9a-f]{{16,}}\b)?"
)
_MONEY = re.compile(rf"(?:{'|'.join(CODES)}|TEUR|kEUR)-?(?=\d)")
_FIGURE = re.compile(rf"\d[\d./-]*(?:[-_/]?[{_LETTER}]+)?(?:-[{_LETTER}]+)*")
_DOTTED = re.compile(r"(?!\d{1,3}(?:\.\d{3})+$)\d+(?:\.\d+){2,}")
_DATED = re.compile(r"\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2\d{4}")
_DIGITS = re.compile(r"\d+")


def hide_names(text: str) -> tuple[str, tuple[Name, ...]]:
    """The folded text with everything masked that has digits but is no figure, and the names a reader could check."""
    names: list[Name] = []
    text = _HIDDEN.sub(lambda match: MASK * len(match[0]), text)
    text = _masked(text, list(_led(text)), names)
    text = _OTHER_PLACE.sub(lambda match: _hide(match, "place", names), text)
    text = _OTHER_YEAR.sub(lambda match: _hide(match, "year", names), text)
    text = _TOKEN.sub(lambda match: _hide(match, "code", names) if _is_code(match[0]) else match[0], text)
    return text, tuple(names)


@lru_cache(maxsize=1)
def _kinds() -> dict[str, NameKind | None]:
    return {word: kind for kind, words in _LEADS.items() for word in words.split()}


def _led(text: str) -> Iterator[tuple[int, int, NameKind | None]]:
    """The numbers that a word before them takes for something else than a figure."""
    kinds = _kinds()
    for match in _LED.finditer(text):
        word, dot, gap = match[1].casefold(), match[2], match[3]
        key = word + dot if word + dot in kinds else word
        if key not in kinds or (dot and key == word) or (gap == "-" and kinds[key] == "year"):
            continue
        kind = kinds[key]
        if word == "of" and not text[max(0, match.start() - 4) : match.start()].endswith("end "):
            continue
        tail = _TAILS[kind].match(text, match.end())
        if tail and (word not in _PAIRED or " " in tail[0]):
            yield match.start(), tail.end(), kind


def _masked(text: str, spans: list[tuple[int, int, NameKind | None]], names: list[Name]) -> str:
    pieces: list[str] = []
    at = 0
    for start, end, kind in spans:
        if start < at:
            continue
        if kind:
            names.append(_name(kind, start, end, text[start:end]))
        pieces += (text[at:start], MASK * (end - start))
        at = end
    return "".join((*pieces, text[at:]))


def _hide(match: re.Match[str], kind: NameKind, names: list[Name]) -> str:
    names.append(_name(kind, match.start(), match.end(), match[0]))
    return MASK * len(match[0])


def _name(kind: NameKind, start: int, end: int, written: str) -> Name:
    numbers = tuple(int(digits) for digits in _DIGITS.findall(written) if len(digits) < 10)
    return Name(kind, start, end, written, numbers)


def _is_code(token: str) -> bool:
    if _DOTTED.fullmatch(token) or _DATED.fullmatch(token):
        return True  # a version, an address, or a day that no calendar has
    return _FIGURE.fullmatch(_MONEY.sub("", token, count=1)) is None
