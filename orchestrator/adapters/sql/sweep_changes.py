"""Changes around the ends of workers and time: waking what is due, taking back what they held, deferring it."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import bindparam, exists, select, update
from sqlalchemy.sql.dml import ReturningUpdate

from orchestrator.adapters.sql.ledger_changes import fold_turn
from orchestrator.adapters.sql.places import read_pools
from orchestrator.adapters.sql.schema import places, status_is, subtasks, workers
from orchestrator.adapters.sql.ticket_changes import NO_OPEN_TICKET
from orchestrator.adapters.sql.transaction import Transaction
from orchestrator.domain.changes import Defer, GiveUp, Reclaim, Wake
from orchestrator.errors import ConflictError

_WAKE = (
    update(subtasks)
    .where(
        subtasks.c.id == bindparam("the_id"),
        status_is(subtasks.c.status, "waiting"),
        subtasks.c.wake_at <= bindparam("now"),
        NO_OPEN_TICKET,
    )
    .values(status="ready", wake_at=None, notify_at=bindparam("soon"), notify_count=0)
)
_DEFER = (
    update(subtasks)
    .where(
        subtasks.c.id == bindparam("the_id"),
        status_is(subtasks.c.status, "ready"),
        subtasks.c.deaths >= bindparam("least"),
    )
    .values(status="waiting", wake_at=bindparam("until", type_=subtasks.c.wake_at.type))
)
_GIVE_UP = (
    update(subtasks)
    .where(
        subtasks.c.id == bindparam("the_id"),
        subtasks.c.owner == bindparam("the_owner"),
        subtasks.c.epoch == bindparam("the_epoch"),
        status_is(subtasks.c.status, "running"),
    )
    .values(status="ready", owner=None, notify_at=bindparam("soon"), notify_count=0)
    .returning(select(places.c.pools).where(places.c.subtask_id == subtasks.c.id).scalar_subquery().label("pools"))
)
_RECLAIM = _GIVE_UP.values(deaths=subtasks.c.deaths + 1, trouble=None)


def wake(tx: Transaction, change: Wake) -> None:
    """Make the subtask ready if its time has come; otherwise somebody was first, and nothing is to be done."""
    if tx.connection.execute(_WAKE, {"the_id": change.subtask_id, "now": tx.now, "soon": tx.soon}).rowcount:
        tx.ready.add(change.subtask_id)


def defer(tx: Transaction, change: Defer) -> None:
    """Make the subtask wait, if it is ready and such a one."""
    values = {"the_id": change.subtask_id, "least": change.deaths, "until": change.until}
    if not tx.connection.execute(_DEFER, values).rowcount:
        raise ConflictError(f"it is not ready, or fewer than {change.deaths} died over it", where=change.subtask_id)


def reclaim(tx: Transaction, change: Reclaim) -> None:
    """Take the subtask back, unless its owner still has a lease or somebody else took it first."""
    alive = exists().where(workers.c.id == bindparam("the_owner"), workers.c.until > tx.lease_time.now)
    if not _taken(tx, change, _RECLAIM.where(~alive), tx.lease_time.values()):
        raise ConflictError(f"{change.owner} does not hold it any more, or is alive", where=change.subtask_id)


def give_up(tx: Transaction, change: GiveUp) -> None:
    """Take the subtask from its owner, who asks for it, unless somebody else took it first."""
    if not _taken(tx, change, _GIVE_UP, {}):
        raise ConflictError(f"{change.owner} does not hold it any more", where=change.subtask_id)


def _taken(tx: Transaction, change: Reclaim | GiveUp, statement: ReturningUpdate[Any], more: Mapping[str, Any]) -> bool:
    """True when it was taken: ready again, its places free, and what its turn had set aside charged in full."""
    values = {"the_id": change.subtask_id, "the_owner": change.owner, "the_epoch": change.epoch, "soon": tx.soon}
    row = tx.connection.execute(statement, {**values, **more}).one_or_none()
    if row is None:
        return False
    if row.pools:
        tx.freed.append(read_pools(row.pools))
    fold_turn(tx, change.subtask_id, in_full=True)
    tx.ready.add(change.subtask_id)
    return True
