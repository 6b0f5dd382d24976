"""What one transaction knows while its changes are applied: moment, fence, locked runs, what is left to the end."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeVar

from sqlalchemy import Connection, bindparam, select, update

from orchestrator.adapters.sql.lease_time import LeaseTime
from orchestrator.adapters.sql.schema import runs
from orchestrator.domain.budget import Refusal, Tariff
from orchestrator.domain.changes import Fence, Release
from orchestrator.errors import DefectError, NotFoundError

CHUNK = 500
"""Rows a statement names at most: databases limit the number of parameters."""

_RUN_COLUMNS = (
    runs.c.id,
    runs.c.status,
    runs.c.revision,
    runs.c.next_number,
    runs.c.audit_n,
    runs.c.audit_digest,
)
_RUNS = select(*_RUN_COLUMNS).where(runs.c.id.in_(bindparam("ids", expanding=True))).order_by(runs.c.id)
_LOCK_RUNS = _RUNS.with_for_update(key_share=True)
_SHARE_RUNS = _RUNS.with_for_update(read=True)
_UPDATE_RUN = update(runs).where(runs.c.id == bindparam("the_id"))

PATIENCE = timedelta(seconds=2)
"""Whoever makes a subtask ready publishes its wake-up after the commit; the sweeper first looks after so long."""

T = TypeVar("T")


def chunks(items: Sequence[T], size: int = CHUNK) -> Iterator[Sequence[T]]:
    """The items in pieces."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


@dataclass(slots=True)
class LockedRun:
    """A run's row under its lock, and the columns this transaction has changed."""

    id: str
    status: str
    revision: int
    next_number: int
    audit_n: int
    audit_digest: str
    changed: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(slots=True)
class Transaction:
    """One list of changes on its way; the changes' order does not matter where the end decides."""

    connection: Connection
    now: datetime
    lease_time: LeaseTime
    fence: Fence | None = None
    fenced_run: str = ""
    fenced_number: int = 0
    fenced_pools: tuple[str, ...] = ()
    """Where the fenced subtask takes places."""
    runs: dict[str, LockedRun] = field(default_factory=dict[str, LockedRun])
    ready: set[str] = field(default_factory=set[str])
    """Subtasks made ready so far."""
    unblocked: set[str] = field(default_factory=set[str])
    """Blocked subtasks without unmet edges: they become ready at the end."""
    releases: list[Release] = field(default_factory=list[Release])
    waiting: list[str] = field(default_factory=list[str])
    """Subtasks that wait for nothing but their tickets."""
    settled: list[str] = field(default_factory=list[str])
    """Subtasks that ended here and hold no dependents back."""
    ended: list[str] = field(default_factory=list[str])
    """Runs that end here."""
    freed: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])
    """The places that were given back here, by subtask."""
    refusal: Refusal | None = None
    """Why nothing was set aside here."""

    @property
    def tariff(self) -> Tariff | None:
        """How calls without a price are counted; None: nothing is."""
        return None if self.fence is None else self.fence.tariff

    @property
    def soon(self) -> datetime:
        """When a wake-up that goes out after this transaction is due again."""
        return self.now + PATIENCE

    def lock_runs(self, exclusive: Iterable[str], shared: Iterable[str]) -> None:
        """Lock runs before anything else: every transaction locks runs, then subtasks, then tickets."""
        writers = sorted(set(exclusive))
        readers = sorted(set(shared) - set(writers))
        for ids, statement in ((writers, _LOCK_RUNS), (readers, _SHARE_RUNS)):
            if ids:
                for row in self.connection.execute(statement, {"ids": ids}):
                    self.runs[row.id] = LockedRun(*row)

    def run(self, run_id: str) -> LockedRun:
        """The locked run."""
        if run_id not in self.runs:
            raise NotFoundError("there is no such run", where=run_id)
        return self.runs[run_id]

    def write_runs(self) -> None:
        """Write what has changed in locked runs."""
        for run in self.runs.values():
            if run.changed:
                self.connection.execute(_UPDATE_RUN.values(run.changed), {"the_id": run.id})

    def give_places_back(self) -> None:
        """The fenced subtask is no more at work."""
        if self.fenced_pools:
            self.freed.append(self.fenced_pools)

    def needs_fence(self, subtask_id: str, change: object) -> None:
        """A change of a turn is only right under that turn's fence."""
        if self.fence is None or self.fence.subtask_id != subtask_id:
            raise DefectError(f"{type(change).__name__} needs the fence of its subtask", where=subtask_id)
