"""The person of the proof: answers tickets, those about effects from the truth in the ledger."""

from collections.abc import Collection, Sequence
from contextlib import suppress

from agents.undoing import undo_name
from orchestrator.domain.ticket import Ticket
from orchestrator.errors import OutsideError
from workers.chaos.team.tools import BACK
from workers.proof.errand import Errand
from workers.proof.stage import Stage

WORD = "blue"


class Person:
    """Answers what is open; `unexpected` are the questions that nothing of the proof should have led to."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._answered: set[str] = set()
        self.set_aside = 0
        """How often a subtask was set aside because its workers died."""
        self.unexpected: list[str] = []

    @property
    def answered(self) -> int:
        """How many tickets were answered."""
        return len(self._answered)

    def tick(self, runs: Sequence[str], unwanted: Collection[str] = ()) -> None:
        """Answer what is open. A database that is broken just now is asked again with the next tick.

        `unwanted`: runs that are about to be called off; what their agents ask is left open, so that none ends before.
        """
        with suppress(OutsideError):
            for run in runs:
                for ticket in self._stage.opened.store.tickets(self._stage.scope, run_id=run, status="open"):
                    if ticket.topic != "agent" or run not in unwanted:
                        self._answer(ticket)

    def _answer(self, ticket: Ticket) -> None:
        stage = self._stage
        self._answered.add(ticket.id)
        # Where nobody knows whether it was stored, the next tick finds the ticket open or not.
        stage.errands.done(
            Errand(what="answer", scope=stage.scope, actor=stage.actor, about=ticket.id, said=self._said(ticket))
        )

    def _said(self, ticket: Ticket) -> str:
        match ticket.topic:
            case "effect" if ticket.call_id:
                return self._truth(self._key(ticket, ticket.call_id))
            case "set_aside":
                self.set_aside += 1
                return "retry"
            case "limit":
                return "more"
            case "agent":
                return self._of_agent(ticket)
            case _:
                self.unexpected.append(f"{ticket.subtask_id} asked: {ticket.question}")
                return "stop"

    def _of_agent(self, ticket: Ticket) -> str:
        match [choice.value for choice in ticket.choices]:
            case ["happened", "not_done", *_]:  # a call of a cancelled run
                return self._truth(ticket.about or "")
            case [first, *_]:  # `again`, where something could not be undone
                return first
            case _:
                return "7" if ticket.answer_type == "number" else WORD

    def _truth(self, key: str) -> str:
        return "happened" if self._stage.ledger.happened(key) else "not_done"

    def _key(self, ticket: Ticket, call_id: str) -> str:
        """What the outer system calls the request that is asked about."""
        store = self._stage.opened.store
        intents = store.intents(ticket.subtask_id, ticket.step)
        intent = next(one for one in intents if one.call_id == call_id)
        return f"{intent.arguments['effect']}{BACK}" if intent.tool.startswith(undo_name("")) else intent.key
