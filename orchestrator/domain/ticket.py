"""A ticket: a question for a person, with typed answers, a deadline and a default; and what counts as an answer."""

from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Annotated, Literal

from pydantic import Field

from orchestrator.domain.identity import Actor
from orchestrator.domain.record import Record
from orchestrator.errors import TicketError

TicketKind = Literal["question", "clarification", "exception"]
"""`question`: an agent asks. `clarification`: the goal lacks something. `exception`: a rule of the engine stopped."""
TicketStatus = Literal["open", "answered", "expired", "cancelled"]
AnswerType = Literal["choice", "text", "number"]
Topic = Literal["agent", "plan", "review", "set_aside", "effect", "limit", "tools"]
"""Who goes on with the answer: the agent that asked, or the engine's own rule of that name."""


class Choice(Record):
    """One possible answer: the value that is stored and what the person reads."""

    value: str
    label: str


class TicketDraft(Record):
    """A question before it is a row."""

    question: Annotated[str, Field(min_length=1)]
    kind: TicketKind = "question"
    topic: Topic = "agent"
    tried: str = ""
    evidence: tuple[str, ...] = ()
    choices: tuple[Choice, ...] = ()
    answer_type: AnswerType = "choice"
    about: str | None = None
    """What the question is about, in the words of the job (such as `B12`); the result links by it."""
    hours: Annotated[float | None, Field(gt=0)] = None
    """Until when it should be answered; None: no deadline."""
    default: str | None = None
    """The answer that counts when the deadline passes."""


class Ticket(TicketDraft):
    """A question as a row."""

    id: str
    run_id: str
    subtask_id: str
    step: int
    call_id: str | None = None
    status: TicketStatus = "open"
    opened_at: datetime
    deadline: datetime | None = None
    answer: str | None = None
    comment: str = ""
    answered_by: Actor | None = None
    answered_at: datetime | None = None


def accepted(ticket: Ticket, answer: str) -> str:
    """The answer as it is stored, or TicketError: the choice's value, the exact number, or the text.

    A choice may be given by its value, its label or its number in the list, whatever the case.
    """
    if ticket.status != "open":
        raise TicketError(f"the ticket is already {ticket.status}", where=ticket.id, mend="Nothing was changed.")
    text = answer.strip()
    if not text:
        raise TicketError("the answer is empty", where=ticket.id, mend=_expected(ticket))
    if ticket.answer_type == "choice" and ticket.choices:
        return _chosen(ticket, text)
    if ticket.answer_type == "number":
        return _number(ticket, text)
    return text


def _chosen(ticket: Ticket, text: str) -> str:
    for position, choice in enumerate(ticket.choices, start=1):
        if text.casefold() in {choice.value.casefold(), choice.label.casefold()} or text == str(position):
            return choice.value
    raise TicketError(f"`{text}` is none of the choices", where=ticket.id, mend=_expected(ticket))


def _number(ticket: Ticket, text: str) -> str:
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite():
        raise TicketError(f"`{text}` is no number", where=ticket.id, mend="Write it like 1234.56.")
    return str(number)


def _expected(ticket: Ticket) -> str:
    if ticket.choices:
        listed = ", ".join(f"{choice.value} ({choice.label})" for choice in ticket.choices)
        return f"Answer with one of: {listed}."
    return "Write the answer after the ticket's id."
