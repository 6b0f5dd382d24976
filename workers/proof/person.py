"""The person of the proof: answers tickets, those about effects from the truth in the ledger."""

from collections.abc import Sequence
from contextlib import suppress

from orchestrator.domain.effect import idempotency_key
from orchestrator.domain.ticket import Ticket
from orchestrator.errors import OutsideError, TicketError
from workers.proof.stage import Stage

WORD = "blue"


class Person:
    """Answers what is open; `unexpected` are the questions that nothing of the proof should have led to."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self.answered = 0
        self.unexpected: list[str] = []

    def tick(self, runs: Sequence[str]) -> None:
        """Answer what is open. A database that is broken just now is asked again with the next tick."""
        with suppress(OutsideError):
            for run in runs:
                for ticket in self._stage.opened.store.tickets(self._stage.scope, run_id=run, status="open"):
                    self._answer(ticket)

    def _answer(self, ticket: Ticket) -> None:
        answer = self._said(ticket)
        with suppress(TicketError):  # its answer was stored though the confirmation was lost
            self._stage.opened.answers.answer(self._stage.scope, ticket.id, answer, "", self._stage.actor)
            self.answered += 1

    def _said(self, ticket: Ticket) -> str:
        match ticket.topic:
            case "effect" if ticket.call_id:
                key = idempotency_key(ticket.subtask_id, ticket.step, ticket.call_id)
                return "happened" if self._stage.ledger.happened(key) else "not_done"
            case "set_aside":
                return "retry"
            case "limit":
                return "more"
            case "agent":
                return ticket.choices[0].value if ticket.choices else "7" if ticket.answer_type == "number" else WORD
            case _:
                self.unexpected.append(f"{ticket.subtask_id} asked: {ticket.question}")
                return "stop"
