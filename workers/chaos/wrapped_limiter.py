"""A limiter that breaks before and after it is asked for a place, or told of an answer."""

from orchestrator.ports.limiter import Ask, Limiter, Pace, Told
from workers.chaos.faults import Faults


class DisturbedLimiter:
    """The same limiter, with faults around what is said to it."""

    def __init__(self, inner: Limiter, faults: Faults) -> None:
        self._inner = inner
        self._faults = faults

    def take(self, ask: Ask, patience: float) -> Pace:
        """Take a place, if it is near enough."""
        self._faults.meet("rate.before")
        pace = self._inner.take(ask, patience)
        self._faults.meet("rate.after")
        return pace

    def told(self, ask: Ask, told: Told) -> float:
        """Learn from an answer."""
        self._faults.meet("rate.before")
        wait = self._inner.told(ask, told)
        self._faults.meet("rate.after")
        return wait

    def close(self) -> None:
        """Give connections back."""
        self._inner.close()
