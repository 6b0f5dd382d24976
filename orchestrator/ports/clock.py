"""The port of time: wall time for what is stored, monotonic deadlines for what is awaited."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

LOOK_SECONDS = 0.5
"""How long whoever waits does so before he looks whether he is stopped: a thousand cost some hundredths of a core."""
Stopped = Callable[[], bool] | None
"""Says that nobody wants the work any more; None where that never happens."""


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
    """A moment on the monotonic clock after which work must have stopped; it survives jumps of the wall clock.

    With `stopped` it has passed as soon as that says so: nobody wants the work any more.
    """

    at: float
    stopped: Stopped = field(default=None, compare=False)

    @classmethod
    def after(cls, seconds: float, stopped: Stopped = None) -> "Deadline":
        """The deadline `seconds` from now, or when it is `stopped`."""
        return cls(time.monotonic() + seconds, stopped)

    def left(self) -> float:
        """Seconds left, never negative."""
        return 0.0 if self.is_stopped() else max(0.0, self.at - time.monotonic())

    def is_stopped(self) -> bool:
        """True when nobody wants the work any more, though its time may not be over."""
        return self.stopped is not None and self.stopped()

    def passed(self) -> bool:
        """True once no time is left."""
        return self.left() <= 0.0

    def wait(self, seconds: float) -> None:
        """Do nothing for so many seconds, or until no time is left."""
        over = self.sooner(seconds)
        while not over.passed():
            time.sleep(min(LOOK_SECONDS, over.left()))

    def sooner(self, seconds: float) -> "Deadline":
        """This deadline or `seconds` from now, whichever comes first."""
        return Deadline(min(self.at, time.monotonic() + seconds), self.stopped)
