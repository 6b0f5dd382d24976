"""Places numbers along an axis, and finds round ones to write beside it."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class Scale:
    """Numbers from `low` to `high`, drawn from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Where a number is drawn."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


def span(values: Iterable[float | None], *, zero: bool) -> tuple[float, float]:
    """From the smallest to the largest number, with a little room; with nothing, where lengths are compared."""
    known = [value for value in values if value is not None]
    low, high = min(known, default=0.0), max(known, default=0.0)
    if zero:
        low, high = min(0.0, low), max(0.0, high)
    if high - low <= abs(high) * 1e-9:
        room = abs(high) * 0.1 or 1.0
        low, high = (low - (0.0 if zero and low == 0 else room)), high + room
    room = (high - low) * 0.05
    return (low if zero and low == 0 else low - room), (high if zero and high == 0 else high + room)


def ticks(low: float, high: float, most: int) -> list[float]:
    """Round numbers between two, `most` of them at most."""
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in _STEPS if factor * power >= rough * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [place * step for place in range(first, last + 1)]


def said(value: float) -> str:
    """A number with as many decimals as it needs, six at most; very large and small ones with an exponent."""
    if value and not 1e-5 <= abs(value) < 1e13:
        return f"{value:.4g}"
    text = f"{value:,.6f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
