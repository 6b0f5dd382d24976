"""How many days the right side usually books after the left, learned from bookings that surely belong together."""

import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

_ENOUGH: Final = 12
_SPREADS: Final = 4
_TRIMMED: Final = 0.01


@dataclass(frozen=True, slots=True)
class Lag:
    """The usual delay: its middle, how far it spreads, and the range nearly all bookings lie in."""

    middle: float
    spread: float
    low: int
    high: int
    samples: int

    def usual(self, days: int, slack: int = 0) -> bool:
        """Whether a delay lies in the range, give or take `slack` days."""
        return self.low - slack <= days <= self.high + slack

    def late(self, days: int, least: int) -> bool:
        """Whether a delay is so unusual that the bookings lie weeks apart."""
        return abs(days - self.middle) > max(least, _SPREADS * self.spread)


UNKNOWN_LAG: Final = Lag(middle=0, spread=0, low=-5, high=5, samples=0)


def learn(delays: Iterable[int], least_late: int) -> Lag:
    """The usual delay among `delays`; the unknown one when they are too few."""
    known = sorted(delays)
    if len(known) < _ENOUGH:
        return UNKNOWN_LAG
    middle = statistics.median(known)
    spread = statistics.median(abs(days - middle) for days in known)
    first = Lag(middle, spread, 0, 0, len(known))
    kept = [days for days in known if not first.late(days, least_late)]
    cut = int(len(kept) * _TRIMMED)
    return Lag(middle, spread, kept[cut], kept[-1 - cut], len(known))
