"""The draft: the reconciliation so far, with what waits for a person marked as such."""

from typing import Any

from agents.tools.builtin.reconcile.data import as_data, from_data
from agents.tools.builtin.reconcile.exceptions import write_exceptions
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
    settled = settle(matching, answered)
    data: dict[str, Any] = as_data(settled)
    waiting = {ticket.about: ticket.id for ticket in so_far.tickets if ticket.about in asked}
    for found in data["breaks"]:
        found["ticket"] = waiting.get(found["ticket"], found["ticket"])
    files = {"exceptions.csv": write_exceptions(settled)}
    name = f"{last.ref}/report.md"
    report, _ = expand(f"{{{{{name}}}}}", {name: write_report(settled)})
    return Drafted(report, data, files)
