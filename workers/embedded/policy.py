"""When a service that died is started again: pure rules, seconds in and seconds out."""

from dataclasses import dataclass, replace

STEADY = 30.0
"""A service that lived this long was healthy: its next death is a first one."""

TROUBLE = 3
"""After so many ends in a row before it was ready, a service will not come up without help."""

_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 5.0


def pause(deaths: int) -> float:
    """Seconds to wait before the next start: none after a first death, then doubling up to a limit."""
    if deaths <= 1:
        return 0.0
    # The exponent is bounded as well: 2.0 ** 2000 would not be a float any more.
    return min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0 ** min(deaths - 2, 16))


@dataclass(frozen=True, slots=True)
class Restarts:
    """What is remembered of a service's ends, and the moment from which it may be started again."""

    deaths: int = 0
    """Ends in a row, each soon after the start."""
    unready_deaths: int = 0
    """Ends in a row before the service was ready."""
    due: float = 0.0

    def after_death(self, *, lived: float, was_ready: bool, now: float) -> "Restarts":
        """The service ended at `now`, `lived` seconds after its start."""
        deaths = 1 if lived >= STEADY else self.deaths + 1
        return Restarts(deaths, 0 if was_ready else self.unready_deaths + 1, now + pause(deaths))

    def after_ready(self) -> "Restarts":
        """The service came up."""
        return replace(self, unready_deaths=0)

    @property
    def in_trouble(self) -> bool:
        """True when a person should be told."""
        return self.unready_deaths >= TROUBLE
