"""Answering: a person's answer closes a ticket and lets its subtask go on, once."""

from orchestrator.domain.identity import Actor, Scope
from orchestrator.domain.ticket import Ticket, accepted
from orchestrator.engine import escalating
from orchestrator.engine.services.applying import Applier
from orchestrator.errors import ConflictError, TicketError
from orchestrator.ports.store import Store


class Answers:
    """Takes answers."""

    def __init__(self, store: Store, applier: Applier) -> None:
        self._store = store
        self._applier = applier

    def answer(self, scope: Scope, ticket_id: str, answer: str, comment: str, actor: Actor) -> Ticket:
        """Close the ticket with this answer. Raises TicketError when it doesn't fit or somebody was first."""
        ticket = self._store.ticket(scope, ticket_id)
        value = accepted(ticket, answer)
        try:
            self._applier.apply(escalating.answered(ticket, value, comment, actor))
        except ConflictError:
            now = self._store.ticket(scope, ticket.id)
            raise TicketError(
                f"the ticket was {now.status} in the meantime", where=ticket.id, mend="Nothing was changed."
            ) from None
        return self._store.ticket(scope, ticket.id)
