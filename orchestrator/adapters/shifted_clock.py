"""A clock that can be put forward: time flows as on the machine, so many seconds ahead."""

from datetime import UTC, datetime, timedelta


class ShiftedClock:
    """The machine's clock plus a shift; for tests and rehearsals of deadlines."""

    def __init__(self) -> None:
        self._ahead = timedelta()

    def now(self) -> datetime:
        """The present moment, shifted, in UTC."""
        return datetime.now(UTC) + self._ahead

    def advance(self, seconds: float) -> None:
        """Put the clock forward (or back, with a negative number)."""
        self._ahead += timedelta(seconds=seconds)
