"""Reads a run of digits and separators as the numbers it can mean, whatever the locale, and writes numbers alike."""

import re
from decimal import Decimal
from functools import lru_cache
from typing import Literal, NamedTuple

Mark = Literal[".", ",", ""]
"""What parts a number's fraction from its whole; "": the run does not show it."""

_SPACED = re.compile(r"(\d{1,3}(?:[ ']\d{3})+)(?:([.,])(\d+))?")
_GROUPED = {
    ",": re.compile(r"\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d{2})+,\d{3}"),
    ".": re.compile(r"\d{1,3}(?:\.\d{3})+"),
}
_AMBIGUOUS = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")
_LONGEST = 60
_OTHER: dict[str, Mark] = {".": ",", ",": "."}


class Reading(NamedTuple):
    """One number that a run of digits can mean. `mark` is the convention under which it means that."""

    value: Decimal
    decimals: int
    mark: Mark


@lru_cache(maxsize=16_384)
def readings(run: str) -> tuple[Reading, ...]:
    """The numbers that `1,234.56`, `1.234,56`, `1 234,56`, `1'234` or `1234` can mean; none: it is no number.

    One mark with three digits behind it (`1,234`) means two things: a thousand and some, or one and a fraction.
    """
    if len(run) > _LONGEST:
        return ()
    if run.isdecimal():
        return (Reading(Decimal(run), 0, ""),)
    if " " not in run and "'" not in run:
        return _marked(run)
    spaced = _SPACED.fullmatch(run)
    return (_reading(re.sub("[ ']", "", spaced[1]), spaced[3] or "", _mark(spaced[2])),) if spaced else ()


def _marked(run: str) -> tuple[Reading, ...]:
    last = max(run.rfind("."), run.rfind(","))
    mark, whole, fraction = run[last], run[:last], run[last + 1 :]
    if _AMBIGUOUS.fullmatch(run):
        return (_reading(whole + fraction, "", _OTHER[mark]), _reading(whole, fraction, _mark(mark)))
    if _GROUPED[mark].fullmatch(run) and not run.startswith("0"):
        return (_reading(run.replace(mark, ""), "", _OTHER[mark]),)
    if whole.isdecimal() or not whole:
        return (_reading(whole or "0", fraction, _mark(mark)),)
    other = _OTHER[mark]
    if mark not in whole and _GROUPED[other].fullmatch(whole):
        return (_reading(whole.replace(other, ""), fraction, _mark(mark)),)
    return ()


def _reading(whole: str, fraction: str, mark: Mark) -> Reading:
    return Reading(Decimal(f"{whole}.{fraction}" if fraction else whole), len(fraction), mark)


def _mark(char: str | None) -> Mark:
    return "." if char == "." else "," if char == "," else ""


def convention(marks: frozenset[Mark]) -> Mark:
    """The one decimal mark that all unambiguous numbers of a text share; "" when they differ or there are none."""
    shown = marks - {""}
    return next(iter(shown)) if len(shown) == 1 else ""


def under(found: tuple[Reading, ...], mark: Mark) -> tuple[Reading, ...]:
    """The readings that a text's convention leaves."""
    kept = tuple(one for one in found if one.mark in (mark, "")) if mark else found
    return kept or found


def plain(value: Decimal) -> str:
    """A number without exponent and with at least the digits it was given with: 1234.50."""
    return f"{value:f}"


def written_like(value: Decimal, run: str) -> str:
    """A number written with the separators of `run`, as far as it shows them: 1234.5 like `9.999,00` is `1.234,5`."""
    sign, digits = ("-", plain(-value)) if value < 0 else ("", plain(value))
    whole, _, fraction = digits.partition(".")
    read = readings(run)
    mark = read[0].mark or "."
    groups = {char for char in " '.," if char in run and char != mark}
    if groups and len(whole) > 3:
        whole = f"{int(whole):,}".replace(",", groups.pop())
    return sign + whole + (mark + fraction if fraction else "")
