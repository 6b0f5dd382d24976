"""A store that breaks before and after its commits."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from sqlalchemy import Connection

from orchestrator.adapters.sql.database import Database
from orchestrator.adapters.sql.lease_time import LeaseTime
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.domain.changes import (
    AddSubtasks,
    Admit,
    AwaitMore,
    BreakOff,
    Change,
    CloseIntents,
    CloseTicket,
    Defer,
    EndRun,
    Fence,
    OpenTicket,
    Reclaim,
    ReplaceUnstarted,
    Reserve,
    RevisePlan,
    SaveIntents,
    SaveStep,
    Settle,
    SettleReservation,
    Spread,
    Wait,
    Wake,
    Yield,
)
from orchestrator.domain.run import Run
from orchestrator.domain.subtask import Subtask
from orchestrator.errors import StoreError
from orchestrator.ports.store import Applied
from workers.chaos.faults import Faults

T = TypeVar("T")

DEAD_AFTER = 6.0
_KINDS: Sequence[tuple[str, tuple[type[Change], ...]]] = (
    ("end", (EndRun,)),
    ("plan", (AddSubtasks, RevisePlan, ReplaceUnstarted, Spread)),
    ("finding", (Settle,)),
    ("question", (OpenTicket, AwaitMore)),
    ("intent", (SaveIntents,)),
    ("outcome", (CloseIntents,)),
    ("step", (SaveStep,)),
    ("sweep", (Reclaim, Wake, Admit, CloseTicket)),
    ("yield", (Wait, Yield, BreakOff, Defer)),
    ("reserve", (Reserve, SettleReservation)),
)
"""What a transaction is called, by the first of these that it contains."""


def kind_of(changes: Sequence[Change]) -> str:
    """The kind of a transaction, as `points.COMMITS` names it."""
    return next((kind for kind, classes in _KINDS if any(isinstance(one, classes) for one in changes)), "other")


class _Reading:
    """The same database, with faults before whatever is read."""

    def __init__(self, inner: Database, faults: Faults) -> None:
        self._inner = inner
        self._faults = faults
        self.lease_time: LeaseTime = inner.lease_time
        self.where = inner.where

    def write(self, work: Callable[[Connection], T]) -> T:
        """The points of commits stand where their kind is known."""
        return self._inner.write(work)

    def write_one(self, work: Callable[[Connection], T]) -> T:
        """The same for a single statement."""
        return self._inner.write_one(work)

    def save_step(self, changes: Sequence[Change], fence: Fence | None) -> bool:
        """The same for a step that is saved in less than a transaction."""
        return self._inner.save_step(changes, fence)

    def read(self, work: Callable[[Connection], T]) -> T:
        """Read, or break."""
        if self._faults.meet("read") == "error":
            raise StoreError("chaos: the connection was lost while reading", where="read")
        return self._inner.read(work)

    def close(self) -> None:
        """Give connections back."""
        self._inner.close()


class DisturbedStore(SqlStore):
    """The same database, with faults around whatever is committed."""

    def __init__(self, inner: SqlStore, faults: Faults) -> None:
        super().__init__(_Reading(inner._database, faults), inner._clock)
        self._faults = faults

    def apply(self, changes: Sequence[Change], fence: Fence | None = None) -> Applied:
        """Apply all changes, or break."""
        write = super().apply
        return self._around(f"commit.{kind_of(changes)}", lambda: write(changes, fence))

    def claim(self, subtask_id: str, worker_id: str) -> Subtask | None:
        """Claim, or break."""
        write = super().claim
        return self._around("claim", lambda: write(subtask_id, worker_id))

    def renew(self, worker_id: str, seconds: float) -> bool:
        """Renew, or break."""
        write = super().renew
        return self._around("lease", lambda: write(worker_id, seconds))

    def untraced(self, seconds: float, limit: int) -> Sequence[Run]:
        """The same, sooner: whoever ended a run is dead for sure after two of the leases that workers have here."""
        return super().untraced(min(seconds, DEAD_AFTER), limit)

    def _around(self, name: str, write: Callable[[], T]) -> T:
        if self._faults.meet(f"{name}.before") == "error":
            raise StoreError("chaos: the connection was lost before the commit", where=name)
        done = write()
        if self._faults.meet(f"{name}.after") == "error":
            raise StoreError("chaos: the connection was lost before the commit was confirmed", where=name)
        return done
