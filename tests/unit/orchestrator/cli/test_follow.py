"""Following a run ends when it has ended, or waits for a person; a wait for time is waited out."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest
import typer

from orchestrator.cli.desk import Desk
from orchestrator.cli.follow import Manner, follow, leaving_word
from orchestrator.domain.goal import Goal
from orchestrator.domain.identity import Actor, Scope
from orchestrator.domain.run import Run, RunState, TeamRules
from orchestrator.domain.ticket import Ticket, TicketStatus
from orchestrator.engine.services.answering import Answers
from orchestrator.engine.services.reading import Progress, Reader
from orchestrator.errors import TicketError

NOW = datetime(2026, 3, 31, tzinfo=UTC)
QUIET = Manner(live=False, quiet=True, ask=None)
RUN = Run(
    id="r1",
    tenant="t",
    goal=Goal(text="x"),
    rules=TeamRules(team="t", specialists=()),
    team_blob="",
    trace="",
    created_at=NOW,
)


def ticket(status: TicketStatus) -> Ticket:
    """A ticket of the run."""
    return Ticket(id="t1", run_id="r1", subtask_id="r1/a", step=1, question="?", status=status, opened_at=NOW)


@pytest.fixture
def desk() -> Callable[..., Desk]:
    """A desk whose run goes through the given states."""

    def make(*states: tuple[RunState, tuple[Ticket, ...]]) -> Desk:
        left = list(states)

        class Going:
            def progress(self, scope: Scope, run_id: str) -> Progress:
                del scope, run_id
                state, tickets = left.pop(0)
                self.open = [one for one in tickets if one.status == "open"]
                return Progress(RUN, state, (), tickets, ())

            def tickets(self, scope: Scope, **chosen: Any) -> list[Ticket]:
                del scope, chosen
                return self.open

        class Late:
            def answer(self, *given: Any) -> Ticket:
                raise TicketError("the ticket was answered in the meantime", where="t1")

        nothing = cast("Any", None)
        return Desk(
            scope=Scope(tenant="t"),
            actor=Actor(id="me"),
            submitter=nothing,
            answers=cast("Answers", Late()),
            reader=cast("Reader", Going()),
            results=nothing,
            keep_alive=lambda: None,
            exports=Path(),
        )

    return make


def test_it_waits_out_what_nobody_is_asked_about(desk: Callable[..., Desk]) -> None:
    """A subtask that was put off makes the run wait, and then it goes on."""
    going = desk(("running", ()), ("waiting", (ticket("answered"),)), ("running", ()), ("done", ()))
    assert follow(going, "r1", QUIET) == "done"


def test_it_ends_when_a_person_is_asked(desk: Callable[..., Desk]) -> None:
    """An open ticket and nobody here to answer."""
    assert follow(desk(("running", ()), ("waiting", (ticket("open"),))), "r1", QUIET) == "waiting"


def test_an_answer_that_comes_too_late(desk: Callable[..., Desk], capsys: pytest.CaptureFixture[str]) -> None:
    """Somebody elsewhere answered while the question stood here: that is said, and the run goes on by their answer."""
    going = desk(("waiting", (ticket("open"),)), ("running", (ticket("answered"),)), ("done", ()))
    manner = Manner(live=False, quiet=True, ask=lambda asked: ("yes", ""))
    assert follow(going, "r1", manner) == "done"
    assert capsys.readouterr().err.strip() == "t1: the ticket was answered in the meantime"


@pytest.mark.parametrize("goes_on", ["while `remit up` runs", "while workers are at work"])
def test_who_interrupts_is_told_what_keeps_the_run_going(
    desk: Callable[..., Desk], goes_on: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where broker and database are given `remit up` is refused, and is not what to wait for."""
    with pytest.raises(typer.Exit) as caught, leaving_word(replace(desk(), goes_on=goes_on), "r1"):
        raise KeyboardInterrupt
    assert caught.value.exit_code == 130
    said = " ".join(capsys.readouterr().err.split())
    assert said == (
        f"Interrupted. Nothing is lost: run r1 goes on {goes_on}; `remit runs show r1` says how far it is, "
        "`remit runs cancel r1` ends it."
    )
