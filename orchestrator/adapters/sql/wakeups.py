"""Which wake-ups are due: ready subtasks, waiting ones whose time has come, tickets past their deadline."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta

from sqlalchemy import Connection, Select, bindparam, case, select, update

from orchestrator.adapters.sql.rows import SELECT_TICKET, ticket_of
from orchestrator.adapters.sql.schema import status_is, subtasks, tickets
from orchestrator.adapters.sql.ticket_changes import NO_OPEN_TICKET
from orchestrator.adapters.sql.transaction import chunks
from orchestrator.domain.subtask import Lane
from orchestrator.domain.ticket import Ticket

BACK_OFF = (4, 8, 16, 32, 60)
"""Seconds until a wake-up that was sent again is sent once more; the last one from then on."""

_TO_NOTIFY = (
    select(subtasks.c.id)
    .where(status_is(subtasks.c.status, "ready"), subtasks.c.notify_at <= bindparam("now"))
    .order_by(subtasks.c.priority.desc(), subtasks.c.notify_at, subtasks.c.id)
    .limit(bindparam("most"))
)
_TO_NOTIFY_IN: Mapping[Lane, Select[str]] = {
    "interactive": _TO_NOTIFY.where(subtasks.c.priority >= 0),
    "batch": _TO_NOTIFY.where(subtasks.c.priority < 0),
}
_UNCLAIMED = (
    select(subtasks.c.id)
    .where(status_is(subtasks.c.status, "ready"), subtasks.c.notify_count >= bindparam("times"))
    .limit(1)
)
UNHEARD = 3
"""Sent at once, and again after 2, 6 and 14 s; 30 s after the first time the next one is due."""
_NOTIFIED = (
    update(subtasks)
    .where(subtasks.c.id.in_(bindparam("ids", expanding=True)), status_is(subtasks.c.status, "ready"))
    .values(
        notify_count=subtasks.c.notify_count + 1,
        notify_at=case(
            *(
                (subtasks.c.notify_count == count, bindparam(f"after_{count}", type_=subtasks.c.notify_at.type))
                for count in range(len(BACK_OFF) - 1)
            ),
            else_=bindparam(f"after_{len(BACK_OFF) - 1}", type_=subtasks.c.notify_at.type),
        ),
    )
)
_LOCK_READY = (
    select(subtasks.c.id)
    .where(subtasks.c.id.in_(bindparam("ids", expanding=True)), status_is(subtasks.c.status, "ready"))
    .order_by(subtasks.c.id)
    .with_for_update(key_share=True)
)
DUE = (
    select(subtasks.c.id)
    .where(status_is(subtasks.c.status, "waiting"), subtasks.c.wake_at <= bindparam("now"), NO_OPEN_TICKET)
    .order_by(subtasks.c.wake_at, subtasks.c.id)
    .limit(bindparam("most"))
)
OVERDUE = (
    SELECT_TICKET.where(status_is(tickets.c.status, "open"), tickets.c.deadline <= bindparam("now"))
    .order_by(tickets.c.deadline, tickets.c.id)
    .limit(bindparam("most"))
)


def to_notify(connection: Connection, now: datetime, limit: int, lane: Lane) -> Sequence[str]:
    """Ready subtasks of a lane whose wake-up is due."""
    return connection.scalars(_TO_NOTIFY_IN[lane], {"now": now, "most": limit}).all()


def unclaimed(connection: Connection) -> bool:
    """Whether a wake-up goes unheard."""
    return connection.scalar(_UNCLAIMED, {"times": UNHEARD}) is not None


def notified(connection: Connection, now: datetime, subtask_ids: Collection[str]) -> None:
    """Put off the next wake-up of each, longer every time."""
    later = {f"after_{count}": now + timedelta(seconds=seconds) for count, seconds in enumerate(BACK_OFF)}
    for ids in chunks(sorted(subtask_ids)):
        if len(ids) > 1:
            connection.execute(_LOCK_READY, {"ids": ids}).all()
        connection.execute(_NOTIFIED, {"ids": ids, **later})


def due(connection: Connection, now: datetime, limit: int) -> Sequence[str]:
    """Waiting subtasks whose time has come, and for which no person is awaited."""
    return connection.scalars(DUE, {"now": now, "most": limit}).all()


def overdue_tickets(connection: Connection, now: datetime, limit: int) -> Sequence[Ticket]:
    """Open tickets past their deadline."""
    return [ticket_of(row) for row in connection.execute(OVERDUE, {"now": now, "most": limit})]
