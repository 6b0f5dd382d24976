"""The draft: the reconciliation so far, with what waits for a person marked as such."""

from collections.abc import Mapping

from agents.tools.builtin.reconcile.data import as_data, from_data
from agents.tools.builtin.reconcile.exceptions import write_exceptions
from agents.tools.builtin.reconcile.matching import Matching
from agents.tools.builtin.reconcile.questions import Decision
from agents.tools.builtin.reconcile.report import write_report
from agents.tools.builtin.reconcile.settling import settle
from orchestrator.domain.evidence import expand
from orchestrator.ports.drafter import ContentReader, Drafted, SoFar


def draft(so_far: SoFar, reader: ContentReader) -> Drafted | None:
    """The last match, settled as far as people have answered; None before there was one."""
    matches = [one for one in so_far.observations.values() if one.tool == "reconcile.match" and one.ok]
    if not matches:
        return None
    last = matches[-1]
    matching = from_data(reader.content(last)["data"], last.ref)
    asked = {question.id for question in matching.questions}
    answered = [
        Decision(question=ticket.about or "", choice=ticket.answer or "", ticket=ticket.id)
        for ticket in so_far.tickets
        if ticket.about in asked and ticket.answer
    ]
    tickets = {ticket.about or "": ticket.id for ticket in so_far.tickets if ticket.about in asked}
    settled = _by_ticket(settle(matching, answered), tickets)
    name = f"{last.ref}/report.md"
    report, _ = expand(f"{{{{{name}}}}}", {name: write_report(settled)})
    return Drafted(report, as_data(settled), {"exceptions.csv": write_exceptions(settled)})


def _by_ticket(matching: Matching, tickets: Mapping[str, str]) -> Matching:
    """The same with its open questions called by the tickets that ask them: by these they are answered."""
    questions = tuple(
        question.model_copy(update={"id": tickets.get(question.id, question.id)}) for question in matching.questions
    )
    return matching.model_copy(update={"questions": questions, "result": matching.result.with_tickets(tickets)})
