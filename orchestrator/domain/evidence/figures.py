"""Reads a text's figures with their signs, scales and per cents, and sets aside what has digits but is no figure."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from orchestrator.domain.evidence.currencies import CURRENCY, LETTER_SCALE, POWERS, SCALE
from orchestrator.domain.evidence.dates import Moment, moments
from orchestrator.domain.evidence.names import Name, hide_names
from orchestrator.domain.evidence.numerals import Reading, readings
from orchestrator.domain.evidence.typography import MASK, fold

REFERENCE = re.compile(r"\[[^\[\]\n]*?\b[Ee]\d+\.\d+[^\[\]\n]*\]|(?<![\w.])[Ee]\d+\.\d+(?![\w.]*\d)(?:/[\w.-]+)?")
"""A citation in brackets, or the bare number of an observation."""

_RUN = re.compile(r"\d{1,3}(?: \d{3})+(?!\d)(?:[.,]\d+)?|\d(?:\d|[.,'](?=\d))*|(?<![\w.,])\.\d+")
_PART = re.compile(r"[\d.]+")
_LEAD = re.compile(
    rf"(?P<open>\(\s?)?(?P<sign>[-−–+]|−\s)?(?:(?P<open2>\()?(?P<currency>{CURRENCY})\s?(?P<minus2>[-−–])?)?(?P<open3>\(\s?)?$"
)
_TRAIL = re.compile(
    rf"(?P<minus>-(?=\s*(?:[|)\n]|$|{CURRENCY}(?!\s?\d))))?\s?(?:(?P<percent>%|percent\b|per\scent\b|Prozent\b|pct\b)"
    rf"|(?P<scale>{SCALE})|(?<=\d)(?P<letter>{LETTER_SCALE}))?(?:\s?{CURRENCY}(?!\d))?(?P<close>\s?\)(?:\s?(?P<late>%))?)?"
)
_LEADING = "(-−–+$."
_WIDEST_LEAD = 12
_ALONE_BEFORE = re.compile(r"(?:^|[|\n])[\s*_]*$")
_ALONE_AFTER = re.compile(r"[\s*_]*(?:[|\n]|$)")


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure as written. Its value is one of `readings`, negative as `negative` says (None: brackets in prose, which
    are a sign or just brackets), times ten to the power of `scale`, in per cent when `percent`."""

    start: int
    end: int
    run: str
    readings: tuple[Reading, ...]
    negative: bool | None = False
    percent: bool = False
    scale: int = 0
    letter: bool = False
    """True: the scale is a single letter, which may be a unit as well."""
    signed: bool = False
    """True: a sign or brackets are written."""

    def values(self) -> Iterator[tuple[Decimal, Decimal]]:
        """The values the figure can have, as written (without its scale), each with half the unit of its last digit."""
        for reading in self.readings:
            half = Decimal(5).scaleb(-reading.decimals - 1)
            if self.negative is not True:
                yield reading.value, half
            if self.negative is not False:
                yield -reading.value, half


@dataclass(frozen=True, slots=True)
class Scan:
    """What stands in a text: offsets are those of the text that was given; `rest` is the text with names hidden."""

    figures: tuple[Figure, ...]
    moments: tuple[Moment, ...]
    names: tuple[Name, ...]
    rest: str


def scan(text: str, hidden: Iterable[tuple[int, int]] = (), *, split: bool = False) -> Scan:
    """Read a text. `hidden`: stretches that hold no figures, such as the ordinals of a list.

    `split` also reads `12 345` as the two figures that it may be; evidence is read so, a report is not.
    """
    folded = _without(fold(text), hidden)
    folded = REFERENCE.sub(lambda match: MASK * len(match[0]), folded)
    found = tuple(moments(folded))
    folded = _without(folded, ((moment.start, moment.end) for moment in found))
    folded, names = hide_names(folded)
    return Scan(tuple(_figures(folded, split)), found, names, folded)


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    pieces: list[str] = []
    at = 0
    for start, end in spans:
        pieces += (text[at:start], MASK * (end - start))
        at = end
    return "".join((*pieces, text[at:])) if pieces else text


def _figures(text: str, split: bool) -> Iterator[Figure]:
    floor = 0
    for match in _RUN.finditer(text):
        run = match[0]
        read = readings(run)
        if read:
            figure = _figure(text, match.start(), match.end(), read, floor)
            floor = figure.end
            yield figure
        if not read or (split and " " in run):
            yield from _parts(text, match)


def _parts(text: str, match: re.Match[str]) -> Iterator[Figure]:
    """The figures of a run that is no number by itself, such as the list `1,2,3`."""
    for part in _PART.finditer(match[0]):
        if read := readings(part[0]):
            start, end = match.start() + part.start(), match.start() + part.end()
            yield _figure(text, start, end, read, start)


def _figure(text: str, start: int, end: int, read: tuple[Reading, ...], floor: int) -> Figure:
    lead = _lead(text, start, floor) or _Lead(start)
    trail = _TRAIL.match(text, end)
    assert trail  # every part of the pattern is optional
    bracketed = lead.inside is not None and bool(trail["close"])
    if lead.inside and not bracketed:
        lead = lead.inside
    first, last = lead.start, trail.start("close") if trail["close"] and not bracketed else trail.end()
    minus = lead.minus or bool(trail["minus"])
    alone = bracketed and bool(_ALONE_BEFORE.search(text[max(0, first - 8) : first]) and _ALONE_AFTER.match(text, last))
    word = (trail["scale"] or trail["letter"] or "").casefold()
    return Figure(
        start=first,
        end=first + len(text[first:last].rstrip()),
        run=text[start:end],
        readings=read,
        negative=True if minus or alone else None if bracketed else False,
        percent=bool(trail["percent"] or trail["late"]),
        scale=POWERS[word] if word else 0,
        letter=bool(trail["letter"]),
        signed=minus or bracketed,
    )


class _Lead(NamedTuple):
    start: int
    minus: bool = False
    inside: "_Lead | None" = None
    """What is left of it when its bracket opens around more than the figure."""


def _lead(text: str, start: int, floor: int) -> _Lead | None:
    """The sign, currency and bracket directly before a figure."""
    before = text[max(floor, start - _WIDEST_LEAD) : start]
    found = _LEAD.search(before) if _may_lead(before) else None
    if found is None or found.start() == len(before):
        return None
    offset = start - len(before)
    at = offset + found.start()
    sign, minus = found["sign"] or "", found["sign"] not in (None, "+")
    if sign and not found["open"] and _is_operator(text[max(0, at - 2) : at], sign):
        at, minus = at + len(sign), False
    inside = None
    if found["open3"]:
        inside = _Lead(start)
    elif found["open2"]:
        inside = _Lead(offset + found.end("open2"), bool(found["minus2"]))
    elif found["open"]:
        inside = _Lead(offset + found.end("open"), minus or bool(found["minus2"]))
    return _Lead(at, minus or bool(found["minus2"]), inside) if at < start else None


def _may_lead(before: str) -> bool:
    """A cheap look at what stands before a figure; most have a space and a word."""
    last = before.rstrip(" ")[-1:]
    return bool(last) and (last in _LEADING or not last.isascii() or last.isupper() or last == "r")


def _is_operator(before: str, sign: str) -> bool:
    """A dash behind a figure or a word parts or subtracts; a sign stands at the start of its figure."""
    previous = before.rstrip(" ")[-1:] if sign.endswith(" ") else before[-1:]
    return previous.isalnum() or (previous != "" and previous in f")%]{MASK}")
