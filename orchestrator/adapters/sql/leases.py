"""Leases of workers, and the claim that needs one."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, case, delete, exists, func, insert, select, update

from orchestrator.adapters.sql.capped_claims import claim_with_place
from orchestrator.adapters.sql.lease_time import LeaseTime
from orchestrator.adapters.sql.resting import stirring
from orchestrator.adapters.sql.rows import SUBTASK, subtask_of
from orchestrator.adapters.sql.schema import places, runs, status_is, subtasks, workers
from orchestrator.domain.subtask import Subtask
from orchestrator.ports.clock import Clock
from orchestrator.ports.store import Held, Lease

_THE_WORKER = bindparam("the_worker")
FORGOTTEN_AFTER = 86_400.0
"""Seconds after which a lease that has passed is of no use to anybody who looks for what happened."""


class Leases:
    """Statements about workers, built once for the database's way to tell the time."""

    def __init__(self, time: LeaseTime, clock: Clock) -> None:
        self._time = time
        self._clock = clock
        valid = workers.c.until > time.now
        holds = exists().where(status_is(subtasks.c.status, "running"), subtasks.c.owner == workers.c.id)
        self._forget = delete(workers).where(workers.c.until < time.until, ~holds)
        self._register = insert(workers).values(id=_THE_WORKER, started_at=time.now, until=time.until)
        self._renew = update(workers).where(workers.c.id == _THE_WORKER, valid).values(until=time.until)
        self._expire = update(workers).where(workers.c.id == _THE_WORKER, valid).values(until=time.now)
        self._valid = select(workers.c.id, workers.c.until, workers.c.started_at).where(valid).order_by(workers.c.id)
        self._abandoned = (
            select(subtasks.c.id, subtasks.c.owner, subtasks.c.epoch)
            .where(
                status_is(subtasks.c.status, "running"),
                ~exists().where(workers.c.id == subtasks.c.owner, valid),
            )
            .order_by(subtasks.c.owner, subtasks.c.id)
            .limit(bindparam("most"))
        )
        self._stirring = stirring(self._abandoned)
        self._running_of = select(subtasks.c.id, subtasks.c.owner, subtasks.c.epoch).where(
            status_is(subtasks.c.status, "running"), subtasks.c.owner == bindparam("the_worker")
        )
        ready = status_is(subtasks.c.status, "ready")
        self._claim_placed = (
            update(subtasks)
            .where(
                subtasks.c.id == bindparam("the_id"),
                ready | (status_is(subtasks.c.status, "running") & (subtasks.c.claim == bindparam("the_claim"))),
                exists().where(runs.c.id == subtasks.c.run_id, status_is(runs.c.status, "running")),
                exists().where(workers.c.id == _THE_WORKER, valid),
            )
            .values(
                status="running",
                owner=_THE_WORKER,
                claim=bindparam("the_claim"),
                epoch=subtasks.c.epoch + case((ready, 1), else_=0),
                wake_at=None,
                started_at=func.coalesce(subtasks.c.started_at, bindparam("now", type_=subtasks.c.started_at.type)),
            )
            .returning(*SUBTASK)
        )
        self._claim = self._claim_placed.where(~exists().where(places.c.subtask_id == bindparam("the_id")))

    def claim(self, connection: Connection, subtask_id: str, worker_id: str, token: str) -> Subtask | None:
        """Take the subtask if it is ready, its run goes on and the worker may work; once for the same token.

        One that a cap concerns is not taken.
        """
        row = connection.execute(self._claim, self._claim_values(subtask_id, worker_id, token)).one_or_none()
        return None if row is None else subtask_of(row)

    def claim_with_place(self, connection: Connection, subtask_id: str, worker_id: str, token: str) -> Subtask | None:
        """The same for a subtask that a cap concerns, in a transaction: it is held back while there is no room."""
        values = self._claim_values(subtask_id, worker_id, token)
        row = claim_with_place(connection, self._claim_placed, values, self._clock.now())
        return None if row is None else subtask_of(row)

    def register(self, connection: Connection, worker_id: str, seconds: float) -> None:
        """Insert the lease; forget those that passed long ago, which nobody would do otherwise."""
        connection.execute(self._forget, self._time.values_until(-FORGOTTEN_AFTER))
        connection.execute(self._register, self._values_until(worker_id, seconds))

    def renew(self, connection: Connection, worker_id: str, seconds: float) -> bool:
        """Prolong the lease if it has not passed."""
        return connection.execute(self._renew, self._values_until(worker_id, seconds)).rowcount == 1

    def expire(self, connection: Connection, worker_id: str) -> None:
        """End the lease now."""
        connection.execute(self._expire, {"the_worker": worker_id, **self._time.values()})

    def valid(self, connection: Connection) -> Sequence[Lease]:
        """Leases that have not passed."""
        rows = connection.execute(self._valid, self._time.values())
        return [Lease(row.id, row.until, row.started_at) for row in rows]

    def abandoned(self, connection: Connection, limit: int) -> Sequence[Held]:
        """Running subtasks of owners without a valid lease."""
        rows = connection.execute(self._abandoned, {"most": limit, **self._time.values()})
        return [Held(row.id, row.owner, row.epoch) for row in rows]

    def running_of(self, connection: Connection, worker_id: str) -> Sequence[Held]:
        """Running subtasks of one worker."""
        rows = connection.execute(self._running_of, {"the_worker": worker_id})
        return [Held(row.id, row.owner, row.epoch) for row in rows]

    def at_rest(self, connection: Connection, worker_id: str) -> bool:
        """True when a sweep of this worker would find nothing."""
        values = {"the_worker": worker_id, "now": self._clock.now(), **self._time.values()}
        return not connection.scalar(self._stirring, values)

    def _claim_values(self, subtask_id: str, worker_id: str, token: str) -> dict[str, Any]:
        return {
            "the_id": subtask_id,
            "the_claim": token,
            "the_worker": worker_id,
            "now": self._clock.now(),
            **self._time.values(),
        }

    def _values_until(self, worker_id: str, seconds: float) -> dict[str, Any]:
        return {"the_worker": worker_id, **self._time.values_until(seconds)}
