"""Changes around workers' deaths and time: waking what is due, taking back what dead workers held, deferring it."""

from sqlalchemy import bindparam, exists, select, update

from orchestrator.adapters.sql.ledger_changes import fold_turn
from orchestrator.adapters.sql.places import read_pools
from orchestrator.adapters.sql.schema import places, status_is, subtasks, workers
from orchestrator.adapters.sql.ticket_changes import NO_OPEN_TICKET
from orchestrator.adapters.sql.transaction import Transaction
from orchestrator.domain.changes import Defer, Reclaim, Wake
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
_RECLAIM = (
    update(subtasks)
    .where(
        subtasks.c.id == bindparam("the_id"),
        subtasks.c.owner == bindparam("the_owner"),
        subtasks.c.epoch == bindparam("the_epoch"),
        status_is(subtasks.c.status, "running"),
    )
    .values(
        status="ready",
        owner=None,
        deaths=subtasks.c.deaths + 1,
        trouble=None,
        notify_at=bindparam("soon"),
        notify_count=0,
    )
    .returning(select(places.c.pools).where(places.c.subtask_id == subtasks.c.id).scalar_subquery().label("pools"))
)


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
    values = {
        "the_id": change.subtask_id,
        "the_owner": change.owner,
        "the_epoch": change.epoch,
        "soon": tx.soon,
        **tx.lease_time.values(),
    }
    row = tx.connection.execute(_RECLAIM.where(~alive), values).one_or_none()
    if row is None:
        raise ConflictError(f"{change.owner} does not hold it any more, or is alive", where=change.subtask_id)
    if row.pools:
        tx.freed.append(read_pools(row.pools))
    fold_turn(tx, change.subtask_id, in_full=True)
    tx.ready.add(change.subtask_id)
