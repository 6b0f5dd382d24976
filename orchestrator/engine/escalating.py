"""Escalating: what the engine itself puts to a person, and what becomes of tickets."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from orchestrator.domain.budget import Kind, Refusal
from orchestrator.domain.budget_words import reached, set_in, shown
from orchestrator.domain.changes import Allow, AwaitMore, Change, CloseTicket, Note, OpenTicket
from orchestrator.domain.finding import Finding
from orchestrator.domain.identity import ENGINE, SWEEPER, Actor
from orchestrator.domain.plan import Question
from orchestrator.domain.subtask import Subtask
from orchestrator.domain.ticket import Choice, Ticket, TicketDraft

MOST_DEATHS = 3
"""Workers that may die over one subtask before it is set aside."""


@dataclass(frozen=True, slots=True)
class Asking:
    """Who asks, at which step, for which call (None: the engine itself)."""

    subtask: Subtask
    step: int
    call_id: str | None = None


def opened(draft: TicketDraft, id_: str, asking: Asking, now: datetime) -> list[Change]:
    """The changes that put a question to a person."""
    ticket = _ticket(draft, id_, asking, now)
    return [OpenTicket(ticket), Note(ticket.run_id, ENGINE, "asked", f"{id_}: {draft.question[:300]}")]


def more_wanted(refusal: Refusal, id_: str, asking: Asking, now: datetime) -> AwaitMore:
    """The change that has a subtask wait for a decision about a limit; the first one of the run asks for it."""
    ticket = _ticket(limit_reached(refusal), id_, asking, now)
    return AwaitMore(ticket.run_id, ticket.subtask_id, refusal.kind, refusal.asks, ticket)


def _ticket(draft: TicketDraft, id_: str, asking: Asking, now: datetime) -> Ticket:
    return Ticket(
        **dict(draft),
        id=id_,
        run_id=asking.subtask.run_id,
        subtask_id=asking.subtask.id,
        step=asking.step,
        call_id=asking.call_id,
        opened_at=now,
        deadline=now + timedelta(hours=draft.hours) if draft.hours else None,
    )


def answered(ticket: Ticket, answer: str, comment: str, actor: Actor) -> list[Change]:
    """The changes that close a ticket with a person's answer."""
    close = CloseTicket(ticket.id, "answered", answer, comment, actor)
    note = Note(ticket.run_id, actor, "answered", f"{ticket.id}: {answer[:300]}")
    return [close, note, *_decided(ticket, answer)]


def expired(ticket: Ticket) -> list[Change]:
    """The changes that close a ticket at its deadline; its default is the answer, if it has one."""
    close = CloseTicket(ticket.id, "expired", ticket.default, "nobody answered in time", SWEEPER)
    note = Note(ticket.run_id, SWEEPER, "expired", f"{ticket.id}: {ticket.default or 'no default'}")
    return [close, note, *_decided(ticket, ticket.default)]


def _decided(ticket: Ticket, answer: str | None) -> list[Change]:
    """What an answer changes by itself: a limit, for every subtask of the run that has reached it."""
    if ticket.topic != "limit":
        return []
    decision = "more" if answer == "more" else "again" if answer == "again" else "stop"
    return [Allow(ticket.run_id, Kind(ticket.about or ""), decision)]


def set_aside(subtask: Subtask) -> TicketDraft:
    """The question about a subtask that killed its worker, or broke off, each time."""
    title = f"«{subtask.spec.title}»"
    happened = f"{subtask.deaths} workers died over {title}."
    tried = "It was started anew each time; it is set aside so that it kills no more."
    if subtask.trouble:
        happened = f"{title} broke off {subtask.deaths} times."
        tried = f"It was started anew each time. The last time it broke off with:\n{subtask.trouble}"
    return TicketDraft(
        kind="exception",
        topic="set_aside",
        question=f"{happened} What shall be done?",
        tried=tried,
        choices=(
            Choice(value="retry", label="Try it again"),
            Choice(value="skip", label="Go on without it; the answer says so"),
        ),
    )


def outdated(subtask: Subtask, changed: Sequence[str]) -> TicketDraft:
    """The question about a subtask whose tools are not what they were when its run was opened."""
    return TicketDraft(
        kind="exception",
        topic="tools",
        question=f"Tools of «{subtask.spec.title}» are not what they were when its run was opened. Shall it go on?",
        tried="\n".join(f"- {line}" for line in changed),
        about=about_tools(changed),
        choices=(
            Choice(value="go_on", label="Go on with the tools as they are now"),
            Choice(value="stop", label="End it here; the answer says so"),
        ),
    )


def about_tools(changed: Sequence[str]) -> str:
    """What such a question is about: answered once, it is not asked again about the same changes."""
    return "; ".join(changed)


def bad_plan(finding: Finding) -> TicketDraft:
    """The question about a plan that could not be made valid."""
    return TicketDraft(
        kind="exception",
        topic="plan",
        question="No plan could be made for this goal. How shall it be done, or shall the run stop?",
        tried=finding.text,
        answer_type="text",
        choices=(Choice(value="stop", label="Stop the run"),),
    )


def pause(deaths: int) -> timedelta:
    """How long a subtask that broke off waits, over which so many had died or broken off before.

    What broke may be well again soon: a disk, a network. So the second try waits longer than the first. Whoever is
    asked next is asked at once, and once a person says to try again it is as if it had never broken off.
    """
    nth = deaths % MOST_DEATHS + 1
    return timedelta(seconds=0 if nth == MOST_DEATHS else 4 ** (nth - 1))


def limit_reached(refusal: Refusal) -> TicketDraft:
    """The question about a limit that stands in the way of the next call."""
    more = Choice(value="more", label=f"Allow another {shown(refusal.kind, refusal.most)}")
    again = Choice(value="again", label="Try again")
    return TicketDraft(
        kind="exception",
        topic="limit",
        question=f"{reached(refusal)} Shall the run go on?",
        tried="" if refusal.of_run else _shared(refusal),
        about=str(refusal.kind),
        choices=(more if refusal.of_run else again, Choice(value="stop", label="End with what there is")),
    )


def _shared(refusal: Refusal) -> str:
    """How a limit is raised that is not the run's own."""
    return (
        f"It is not the run's own limit. Raise {set_in(refusal.account)} and hand in any run with that: "
        "what the newest says holds for all. Then try again."
    )


def clarification(ask: Question) -> TicketDraft:
    """The planner's question to the asker."""
    choices = tuple(Choice(value=choice, label=choice) for choice in ask.choices)
    return TicketDraft(
        kind="clarification",
        topic="plan",
        question=ask.question,
        choices=choices,
        answer_type="choice" if choices else "text",
    )
