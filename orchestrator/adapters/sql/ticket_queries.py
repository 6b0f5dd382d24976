"""Questions about tickets."""

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam

from orchestrator.adapters.sql.prefix import beginning, only, within
from orchestrator.adapters.sql.rows import SELECT_TICKET, ticket_of
from orchestrator.adapters.sql.schema import tickets
from orchestrator.domain.identity import Scope
from orchestrator.domain.ticket import Ticket, TicketStatus
from orchestrator.errors import DefectError

_OF_TENANT = SELECT_TICKET.where(tickets.c.tenant == bindparam("the_tenant"))
_TICKET = _OF_TENANT.where(tickets.c.id == bindparam("the_id"))
_TICKET_LIKE = _OF_TENANT.where(within(tickets.c.id)).order_by(tickets.c.id).limit(2)


def ticket(connection: Connection, scope: Scope, ticket_id: str) -> Ticket:
    """The ticket with this id or this beginning of an id."""
    row = connection.execute(_TICKET, {"the_tenant": scope.tenant, "the_id": ticket_id}).one_or_none()
    if row is not None:
        return ticket_of(row)
    values = {"the_tenant": scope.tenant, **beginning(ticket_id)}
    rows = connection.execute(_TICKET_LIKE, values).all()
    return ticket_of(only(rows, "ticket", ticket_id))


def tickets_where(
    connection: Connection,
    scope: Scope | None,
    *,
    run_id: str | None,
    subtask_id: str | None,
    status: TicketStatus | None,
    limit: int,
) -> Sequence[Ticket]:
    """Tickets that fit, by when they were opened."""
    if scope is None and run_id is None and subtask_id is None:
        raise DefectError("tickets without a scope are only asked for of one run or subtask")
    statement = SELECT_TICKET.order_by(tickets.c.opened_at, tickets.c.id).limit(limit)
    wanted = (
        (tickets.c.tenant, None if scope is None else scope.tenant),
        (tickets.c.run_id, run_id),
        (tickets.c.subtask_id, subtask_id),
        (tickets.c.status, status),
    )
    for column, value in wanted:
        if value is not None:
            statement = statement.where(column == value)
    return [ticket_of(row) for row in connection.execute(statement)]
