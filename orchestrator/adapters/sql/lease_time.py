"""The time of leases: the database's own clock where machines share it, this machine's otherwise."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import Float, bindparam, func
from sqlalchemy.sql.elements import ColumnElement

from orchestrator.adapters.sql.kinds import UtcTime
from orchestrator.ports.clock import Clock


@dataclass(frozen=True, slots=True)
class LeaseTime:
    """`now` and `until` are written into statements; `values` gives what they have to be executed with."""

    now: ColumnElement[Any]
    until: ColumnElement[Any]
    clock: Clock | None
    """None: the database tells the time."""

    def values(self) -> dict[str, Any]:
        """Parameters of a statement with `now`."""
        return {} if self.clock is None else {"lease_now": self.clock.now()}

    def values_until(self, seconds: float) -> dict[str, Any]:
        """Parameters of a statement with `now` and `until`."""
        if self.clock is None:
            return {"lease_seconds": seconds}
        now = self.clock.now()
        return {"lease_now": now, "lease_until": now + timedelta(seconds=seconds)}


def of_database() -> LeaseTime:
    """PostgreSQL's time; the moment itself, not the beginning of the transaction."""
    now = func.clock_timestamp(type_=UtcTime())
    span = func.make_interval(0, 0, 0, 0, 0, 0, bindparam("lease_seconds", type_=Float(53)))
    return LeaseTime(now=now, until=now + span, clock=None)


def of_machine(clock: Clock) -> LeaseTime:
    """This machine's time."""
    return LeaseTime(
        now=bindparam("lease_now", type_=UtcTime()), until=bindparam("lease_until", type_=UtcTime()), clock=clock
    )
