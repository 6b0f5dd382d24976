"""What befalls a system from outside: no broker for a minute, old wake-ups, a clock that jumps, late answers."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from orchestrator.domain.subtask import Status
from orchestrator.errors import TicketError

Make = Callable[..., Any]
DAY = 86_400
SWEEP_SECONDS = 2
OLD = {"sqlite": 10_000, "postgres": 1_000}
WAITING = {"sqlite": 1_000, "postgres": 250}
"""Fewer where each takes longer: the engine is the same, and what the database makes of it shows in some hundreds."""
CHOICES = [{"value": "yes", "label": "Yes"}, {"value": "no", "label": "No"}]


def turns(engine: Any, run_id: str) -> dict[str, int]:
    """How often each subtask was claimed."""
    return {one.key: one.epoch for one in engine.store.subtasks(run_id)}


def asking(_: Any, request: Any) -> Any:
    """Ask a person, then say what they said."""
    if request.messages[-1].role != "tool":
        return [("escalate", {"question": "Really?", "choices": CHOICES, "hours": 1, "default": "no"})]
    return {"summary": "yes" if '"answer":"yes"' in request.messages[-1].text else "no"}


def test_a_broker_that_is_away_for_a_minute(flow: Make) -> None:
    """The turn in hand ends and a goal is taken in; what is ready waits as rows, and goes on once with the broker."""
    outages = iter([True])

    def find(_: Any, request: Any) -> Any:
        if request.messages[-1].role == "tool":
            return {"summary": "1 + 1 = 2 [E2.1]"}
        engine.broker.down = next(outages, False)
        return [("calculator", {"expression": "1 + 1"})]

    engine = flow(specialist=find)
    first = engine.run().run.id
    assert turns(engine, first) == {"plan": 1, "a": 1, "compose": 0, "review": 0}
    second = engine.submit().id
    for _ in range(60 // SWEEP_SECONDS):
        engine.clock.advance(SWEEP_SECONDS)
        engine.sweeper.sweep()
    assert engine.broker.woken == ()
    engine.broker.down = False
    engine.sweeper.sweep()
    engine.work()
    for run_id in (first, second):
        assert engine.progress(run_id).state == "done"
        assert turns(engine, run_id) == {"plan": 1, "a": 1, "compose": 1, "review": 1}


def test_ten_thousand_old_wake_ups(flow: Make, database: str) -> None:
    """Those of a run that has ended change nothing of it, and nothing is worked on again."""
    engine = flow()
    run_id = engine.run().run.id
    before = engine.store.subtasks(run_id)
    ids = [one.id for one in before]
    engine.broker.wake(ids * (OLD[database] // len(ids)))
    engine.work()
    assert engine.store.subtasks(run_id) == before


@pytest.mark.parametrize("seconds", [DAY, -DAY])
def test_a_clock_that_jumps(flow: Make, seconds: int) -> None:
    """A day ahead or back in the middle of a turn: the work goes on, once, and no deadline is missed by it."""

    def find(_: Any, request: Any) -> Any:
        if request.messages[-1].role != "tool":
            engine.clock.advance(seconds)
            return [("calculator", {"expression": "1 + 1"})]
        return {"summary": "1 + 1 = 2 [E2.1]"}

    engine = flow(specialist=find)
    run_id = engine.run().run.id
    assert engine.progress(run_id).state == "done"
    assert turns(engine, run_id) == {"plan": 1, "a": 1, "compose": 1, "review": 1}
    assert all(span.start <= span.end for span in engine.telemetry.spans)


def test_an_answer_after_the_deadline(flow: Make) -> None:
    """The default has counted: whoever answers now is told so, and nothing is changed."""
    engine = flow(specialist=asking)
    run_id = engine.run().run.id
    ticket = engine.open_ticket(run_id)
    engine.clock.advance(3601)
    engine.sweeper.sweep()
    with pytest.raises(TicketError, match="the ticket is already expired"):
        engine.answers.answer(engine.scope, ticket.id, "yes", "", engine.actor)
    engine.work()
    assert engine.result(run_id).data["answer"] == "- no"


@pytest.mark.slow
def test_a_thousand_waiting(flow: Make, database: str) -> None:
    """A thousand questions hold no claim, thread or wake-up, and no sweep looks at them; an answer wakes its own."""
    many = WAITING[database]
    over = {"items": list(range(many))}
    each = {"key": "each", "agent": "finder", "title": "Ask", "instruction": "Ask.", "over": over}

    def plan(_: Any, __: Any) -> Any:
        return {"subtasks": [each]}

    engine = flow(planner=plan, specialist=asking)
    threads = threading.active_count()
    run_id = engine.run().run.id
    waiting = {Status.DONE: 1, Status.BLOCKED: 3, Status.WAITING: many}
    assert engine.store.statuses(run_id) == waiting
    assert engine.store.running_of("w1") == []
    assert engine.broker.woken == ()
    assert engine.sweeper.sweep() == 0
    assert threading.active_count() <= threads + 2
    ticket = engine.store.tickets(engine.scope, run_id=run_id, status="open")[many // 2]
    engine.answers.answer(engine.scope, ticket.id, "yes", "", engine.actor)
    engine.work()
    assert engine.store.statuses(run_id) == {**waiting, Status.DONE: 2, Status.WAITING: many - 1}
