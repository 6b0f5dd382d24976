"""The port of time: wall time for what is stored, monotonic deadlines for what is awaited."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time that is written into rows."""

    def now(self) -> datetime:
        """The present moment, aware, in UTC."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The present moment, aware, in UTC."""
        return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment on the monotonic clock after which work must have stopped; it survives jumps of the wall clock."""

    at: float

    @classmethod
    def after(cls, seconds: float) -> "Deadline":
        """The deadline `seconds` from now."""
        return cls(time.monotonic() + seconds)

    def left(self) -> float:
        """Seconds left, never negative."""
        return max(0.0, self.at - time.monotonic())

    def passed(self) -> bool:
        """True once no time is left."""
        return self.left() <= 0.0

    def sooner(self, seconds: float) -> "Deadline":
        """This deadline or `seconds` from now, whichever comes first."""
        return Deadline(min(self.at, time.monotonic() + seconds))
