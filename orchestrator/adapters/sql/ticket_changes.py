"""Changes of tickets: opening them, closing them once, and waking whoever waited for them."""

from sqlalchemy import bindparam, exists, select, update
from sqlalchemy.dialects.postgresql import insert

from orchestrator.adapters.sql.documents import written
from orchestrator.adapters.sql.rows import ticket_values
from orchestrator.adapters.sql.schema import runs, status_is, subtasks, tickets
from orchestrator.adapters.sql.transaction import Transaction
from orchestrator.domain.changes import CloseTicket, OpenTicket
from orchestrator.errors import ConflictError, NotFoundError

NO_OPEN_TICKET = ~exists().where(tickets.c.subtask_id == subtasks.c.id, status_is(tickets.c.status, "open"))

_OPEN_TICKET = (
    insert(tickets)
    .values(tenant=select(runs.c.tenant).where(runs.c.id == bindparam("of_run")).scalar_subquery())
    .on_conflict_do_nothing(index_elements=[tickets.c.id])
    .returning(tickets.c.id)
)
_SUBTASK_OF = select(tickets.c.subtask_id).where(tickets.c.id == bindparam("the_id"))
_LOCK_SUBTASK = select(subtasks.c.id).where(subtasks.c.id == bindparam("the_id")).with_for_update(key_share=True)
_CLOSE_TICKET = (
    update(tickets)
    .where(tickets.c.id == bindparam("the_id"), status_is(tickets.c.status, "open"))
    .values(
        status=bindparam("to_status"),
        answer=bindparam("the_answer"),
        comment=bindparam("the_comment"),
        answered_by=bindparam("actor"),
        answered_at=bindparam("now"),
    )
)
_WAITS_FOR_NOTHING = (
    update(subtasks)
    .where(
        subtasks.c.id == bindparam("the_id"),
        status_is(subtasks.c.status, "waiting"),
        NO_OPEN_TICKET,
    )
    .values(status="ready", wake_at=None, notify_at=bindparam("soon"), notify_count=0)
)


def open_ticket(tx: Transaction, change: OpenTicket) -> None:
    """Insert the ticket with the tenant of its run."""
    values = {**ticket_values(change.ticket), "of_run": change.ticket.run_id}
    if tx.connection.scalar(_OPEN_TICKET, values) is None:
        raise ConflictError("a ticket with this id exists already", where=change.ticket.id)


def close_ticket(tx: Transaction, change: CloseTicket) -> None:
    """Close the ticket once and wake its subtask.

    The subtask is locked first: a turn that begins to wait at this very moment either sees the ticket closed, or is
    seen waiting.
    """
    subtask_id = tx.connection.scalar(_SUBTASK_OF, {"the_id": change.ticket_id})
    if subtask_id is None:
        raise NotFoundError("there is no such ticket", where=change.ticket_id)
    tx.connection.execute(_LOCK_SUBTASK, {"the_id": subtask_id})
    values = {
        "the_id": change.ticket_id,
        "to_status": change.status,
        "the_answer": change.answer,
        "the_comment": change.comment,
        "actor": written(change.actor),
        "now": tx.now,
    }
    if tx.connection.execute(_CLOSE_TICKET, values).rowcount == 0:
        raise ConflictError("the ticket is closed already", where=change.ticket_id, mend="Nothing was changed.")
    wake_if_free(tx, subtask_id)


def wake_if_free(tx: Transaction, subtask_id: str) -> None:
    """A waiting subtask without an open ticket becomes ready."""
    if tx.connection.execute(_WAITS_FOR_NOTHING, {"the_id": subtask_id, "soon": tx.soon}).rowcount:
        tx.ready.add(subtask_id)
