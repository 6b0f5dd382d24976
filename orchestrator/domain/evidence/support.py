"""Decides whether evidence supports a figure: exactly, as a ratio in per cent, or rounded where that is written."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from orchestrator.domain.evidence.figures import Figure
from orchestrator.domain.evidence.index import Index

APPROXIMATE = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|approx\.?|circa|ca\.?|nearly|almost|some|rund|etwa|ungefähr|knapp|gut"
    r"|environ|unos|circa)\s*|[~≈]\s*|[约近]|大约)$",
    re.IGNORECASE,
)
DIRECTION = re.compile(
    r"\b(?:decreas\w*|declin\w*|drop\w*|f[ae]ll\w*|reduc\w*|less|lower|short\w*|loss\w*|lost|negative|minus|under|outflow\w*"
    r"|deficit\w*|lacks?|below|behind|fewer|down|deduct\w*|abnahme|rückgang|verlust\w*|weniger|minder\w*|fehlbetrag\w*"
    r"|niedriger|baisse|perte|moins|menos|pérdida)\b|[减少亏降缺负]",
    re.IGNORECASE,
)
"""Words that say which way an amount goes, so that it may be written without its minus."""

_FLOAT_DECIMALS = 6
_LOOSEST = Decimal("0.05")
_MOST_STEPS = 3


@dataclass(frozen=True, slots=True)
class Wording:
    """What the words around a figure say about it."""

    approximate: bool = False
    direction: bool = False
    percent: bool = False
    """True: the head of its column says that it is in per cent."""
    scale: int = 0
    """The power of ten that the head of its column names."""


def is_exact(figure: Figure, index: Index) -> bool:
    """True when the evidence has the figure's very value."""
    return any(_exact(value, half, figure, index, figure.scale) for value, half in figure.values())


def has_size(figure: Figure, index: Index) -> bool:
    """True when the evidence has the figure's value with or without a minus."""
    return any(value in index.values or -value in index.values for value, _ in figure.values())


def is_supported(figure: Figure, index: Index, wording: Wording) -> bool:
    """True when the evidence has a value that the figure, read with the words around it, states."""
    scale = figure.scale or wording.scale
    percent = figure.percent or wording.percent
    for value, half in _directed(figure, wording):
        if _exact(value, half, figure, index, scale):
            return True
        if percent and index.between((value - half).scaleb(-2), (value + half).scaleb(-2)):
            return True
        if wording.approximate or scale:
            unit = half if scale else _rounded_half(value, half)
            if index.between((value - unit).scaleb(scale), (value + unit).scaleb(scale)):
                return True
            if scale in index.scales and wording.approximate and index.between(value - half, value + half):
                return True
    return False


def _directed(figure: Figure, wording: Wording) -> Iterator[tuple[Decimal, Decimal]]:
    for value, half in figure.values():
        yield value, half
        if wording.direction and not figure.signed:
            yield -value, half


def _exact(value: Decimal, half: Decimal, figure: Figure, index: Index, scale: int) -> bool:
    if scale and value.scaleb(scale) in index.values:
        return True
    # A bare number stands for thousands only where the evidence says so (`In thousands` over a table).
    if (not scale or figure.letter or scale in index.scales) and value in index.values:
        return True
    if figure.percent and value.scaleb(-2) in index.values:
        return True
    return half < Decimal("0.1") and any(_is_float(found) for found in index.between(value - half, value + half))


def _is_float(value: Decimal) -> bool:
    """A number with this many decimals was computed in binary, and nobody writes it out."""
    exponent = value.as_tuple().exponent
    return isinstance(exponent, int) and -exponent > _FLOAT_DECIMALS


def _rounded_half(value: Decimal, half: Decimal) -> Decimal:
    """Half the unit to which a round figure such as 12,300 is rounded: its last digit that is not 0."""
    if half != Decimal("0.5") or not value:
        return half
    digits = str(abs(int(value)))
    zeros = len(digits) - len(digits.rstrip("0"))
    return min(Decimal(5).scaleb(zeros - 1), abs(value) * _LOOSEST) if zeros else half


def nearest(figure: Figure, index: Index) -> Decimal | None:
    """The value in the evidence that the figure was most likely meant to be: one slip of the pen away, or close by."""
    values = [value for value, _ in figure.values()]
    for value in values:
        for slip in _slips(value):
            if slip in index.values:
                return slip
    if figure.scale or figure.percent:
        values = [value.scaleb(figure.scale or -2) for value in values] + values
    for value in values:
        close = index.between(value - abs(value) * _LOOSEST, value + abs(value) * _LOOSEST)
        if close:
            return min(close, key=lambda found: abs(found - value))
    return None


def _slips(value: Decimal) -> Iterator[Decimal]:
    """The values one slip away: the sign, the decimal mark, one digit, two digits swapped, one digit too many."""
    yield -value
    for shift in range(1, _MOST_STEPS + 1):
        yield value.scaleb(shift)
        yield value.scaleb(-shift)
    yield from digit_slips(value)
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    for position in range(len(digits) if len(digits) > 1 else 0):
        yield Decimal((sign, (*digits[:position], *digits[position + 1 :]), exponent))


def digit_slips(value: Decimal) -> Iterator[Decimal]:
    """The values of as many digits in which one digit is another, or two that stand together changed places."""
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    for position, digit in enumerate(digits):
        for other in range(10):
            if other != digit:
                yield Decimal((sign, (*digits[:position], other, *digits[position + 1 :]), exponent))
    for position in range(len(digits) - 1):
        swapped = (*digits[:position], digits[position + 1], digits[position], *digits[position + 2 :])
        yield Decimal((sign, swapped, exponent))
