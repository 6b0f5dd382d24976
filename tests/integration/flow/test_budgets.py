"""Budgets in the whole engine: a limit ends a run with what there is, or a person decides about it."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from agents.catalog import pin
from orchestrator.domain.budget import Allowance, Kind, Purse, Tariff, TeamBudget
from orchestrator.domain.finding import Ending
from orchestrator.domain.goal import Limits
from orchestrator.domain.run import Run
from orchestrator.engine.services.submitting import Request, Submitter

Make = Callable[..., Any]
ENOUGH = 60_000


def three(briefing: dict[str, Any], request: Any) -> Any:
    """A plan of three subtasks that need nothing of each other."""
    del briefing, request
    return {"subtasks": [{"key": k, "agent": "finder", "title": k, "instruction": "1 + 1"} for k in "abc"]}


def find(briefing: dict[str, Any], request: Any) -> Any:
    """Calculate, then say that it is done."""
    if request.messages[-1].role != "tool":
        return [("calculator", {"expression": briefing["instruction"]})]
    return {"summary": "done"}


def submitted(engine: Any, limits: Limits, purse: Purse | None = None, budget: TeamBudget | None = None) -> Run:
    """Hand a goal in where an installation and its teams have budgets."""
    rules = engine.team.rules().model_copy(update={"budget": budget or TeamBudget()})
    submitter = Submitter(engine.applier, engine.blobs, engine.clock, engine.telemetry, purse)
    return submitter.submit(Request("Find out.", {}, rules, pin(engine.team), {}, limits), engine.scope, engine.actor)


def calls(engine: Any, run_id: str) -> int:
    """How many calls a run has made."""
    return sum(one.calls for one in engine.progress(run_id).usage)


def test_a_limit_of_the_run_ends_it_with_what_there_is(flow: Make) -> None:
    """Exactly as many steps are made as are allowed; the report and the reason say what stopped the run."""
    engine = flow()
    progress = engine.run(limits=Limits(steps=2))
    assert progress.state == "limit"
    assert calls(engine, progress.run.id) == 2
    assert "The limit of the run of 2 steps is reached: 2 steps used" in progress.run.outcome.reason
    assert "of 2 steps is reached" in engine.result(progress.run.id).report
    assert engine.store.standing(progress.run.id) == []


def test_a_call_that_might_exceed_the_limit_is_not_made(flow: Make) -> None:
    """The worst case counts before the call: what is sent, and the longest reply there may be."""
    engine = flow()
    progress = engine.run(limits=Limits(tokens=2000))
    assert (progress.state, calls(engine, progress.run.id)) == ("limit", 0)
    assert "0 tokens used, and the next call may need" in progress.run.outcome.reason


def test_what_is_left_at_a_limit_is_for_the_agents_answer(flow: Make) -> None:
    """A call of a tool leaves enough for one more; that one has no tools, and what it says is a partial finding."""
    asked: list[bool] = []

    def look(briefing: dict[str, Any], request: Any) -> Any:
        del briefing
        asked.append(bool(request.tools))
        return [("calculator", {"expression": "1 + 1"})] if request.tools else {"summary": "It is 2 [E2.1]."}

    engine = flow(specialist=look)
    progress = engine.run(limits=Limits(steps=3))
    assert (progress.state, asked, calls(engine, progress.run.id)) == ("limit", [True, False], 3)
    (worked,) = [one for one in progress.subtasks if one.key == "a"]
    finding = engine.store.findings([worked.id])[worked.id]
    assert (finding.status, finding.ending) == ("partial", Ending.RUN_LIMIT)
    assert finding.text == (
        "The limit of the run of 3 steps is reached: 2 steps used, and the next call may need 2 steps. It is 2 [E2.1]."
    )


def test_within_its_limits_a_run_is_done(flow: Make) -> None:
    """What was set aside and not used is there for the next call, to the last token."""
    engine = flow()
    run = submitted(engine, Limits(tokens=ENOUGH, cost=Decimal(2), steps=5, seconds=60))
    engine.work()
    assert engine.progress(run.id).state == "done"
    assert calls(engine, run.id) == 5


@pytest.mark.parametrize("plan", [None, three], ids=["one subtask", "three at once"])
def test_a_person_may_allow_more(flow: Make, plan: Any) -> None:
    """One ticket at a time, however many subtasks wait for it; each answer allows as much again as before."""
    engine = flow(specialist=find, **({"planner": plan} if plan else {}))
    limits = Limits(steps=2, on_limit="ask")
    run_id = engine.run(limits=limits).run.id
    asked = 0
    while engine.progress(run_id).state == "waiting":
        ticket = engine.open_ticket(run_id)
        assert (ticket.topic, ticket.about) == ("limit", "steps")
        assert [choice.value for choice in ticket.choices] == ["more", "stop"]
        engine.answer(run_id, "more")
        asked += 1
    assert engine.progress(run_id).state == "done"
    assert calls(engine, run_id) == (9 if plan else 5)
    assert asked == (3 if plan else 2)


def test_a_person_may_let_it_stop(flow: Make) -> None:
    """Every subtask that waited ends with what it has, and nobody is asked again."""
    engine = flow(planner=three)
    run_id = engine.run(limits=Limits(steps=2, on_limit="ask")).run.id
    progress = engine.answer(run_id, "stop")
    assert progress.state == "limit"
    assert len(progress.tickets) == 1
    assert calls(engine, run_id) == 2
    assert engine.store.standing(run_id) == []


def test_a_budget_of_the_team_is_used_up_by_its_runs(flow: Make, clock: Any) -> None:
    """The next run of the month is told whose limit it met; in the next month there is a new one."""
    engine = flow()
    budget = TeamBudget(month=Allowance(steps=7))
    first = submitted(engine, Limits(), budget=budget)
    engine.work()
    second = submitted(engine, Limits(), budget=budget)
    engine.work()
    assert [engine.progress(run.id).state for run in (first, second)] == ["done", "limit"]
    month = f"{clock.now():%Y-%m}"
    reason = engine.progress(second.id).run.outcome.reason
    assert f"The limit of team flow for {month} of 7 steps is reached: 7 steps used" in reason
    (line,) = engine.store.standing(f"team:t/flow/{month}")
    assert (line.kind, line.spent, line.reserved) == (Kind.STEPS, 7, 0)
    clock.advance(31 * 86_400)
    third = submitted(engine, Limits(), budget=budget)
    engine.work()
    assert engine.progress(third.id).state == "done"


def test_a_budget_of_the_tenant_is_tried_again_once_it_was_raised(flow: Make) -> None:
    """A limit that is not the run's own cannot be raised by its ticket, only looked at again."""
    engine = flow()
    tight = Purse(month=Allowance(steps=3))
    run = submitted(engine, Limits(on_limit="ask"), tight)
    engine.work()
    ticket = engine.open_ticket(run.id)
    assert [choice.value for choice in ticket.choices] == ["again", "stop"]
    assert engine.answer(run.id, "again").state == "waiting"
    submitted(engine, Limits(steps=1), Purse(month=Allowance(steps=30)))
    assert engine.answer(run.id, "again").state == "done"


def test_a_budget_that_is_not_set_any_more_holds_for_nobody(flow: Make) -> None:
    """A run that waited for it goes on once another was handed in without it."""
    engine = flow()
    run = submitted(
        engine, Limits(on_limit="ask"), Purse(month=Allowance(steps=3)), TeamBudget(month=Allowance(steps=4))
    )
    engine.work()
    ticket = engine.open_ticket(run.id)
    assert "The limit of tenant t for" in ticket.question
    assert "Raise REMIT_BUDGET_MONTH and hand in any run with that" in ticket.tried
    submitted(engine, Limits(), Purse())
    assert engine.answer(run.id, "again").state == "done"


def test_a_team_allows_each_of_its_runs_so_much(flow: Make) -> None:
    """What whoever asks says goes before it, kind by kind."""
    engine = flow()
    budget = TeamBudget(run=Allowance(steps=1, tokens=ENOUGH), on_limit="ask")
    own = submitted(engine, Limits(), budget=budget)
    other = submitted(engine, Limits(steps=4, on_limit="stop"), budget=budget)
    engine.work()
    assert [calls(engine, run.id) for run in (own, other)] == [1, 4]
    assert [engine.progress(run.id).state for run in (own, other)] == ["waiting", "limit"]
    assert engine.progress(other.id).run.goal.limits == Limits(
        steps=4, tokens=ENOUGH, on_limit="stop", tariff=Purse().tariff
    )


def test_a_model_without_a_price_counts_at_the_worst(flow: Make) -> None:
    """Its result says so; what its calls set aside and used is counted in picodollars."""
    engine = flow()
    engine.model.cost = None
    run = submitted(engine, Limits(cost=Decimal("0.000001"), steps=5), Purse(tariff=Tariff(input=1, output=2)))
    engine.work()
    usage = engine.result(run.id).data["usage"]
    assert usage["cost"] is None
    assert usage["counted_at_worst_price"] == {"models": ["words"], "price": "0.000001/0.000002 USD per million tokens"}


@pytest.mark.parametrize(
    ("limits", "ending"),
    [
        (Limits(tokens=2000), Ending.TOKEN_LIMIT),
        (Limits(cost=Decimal("0.000001")), Ending.MONEY_LIMIT),
        (Limits(steps=1), Ending.RUN_LIMIT),
    ],
)
def test_the_ending_says_which_limit_it_was(flow: Make, limits: Limits, ending: Ending) -> None:
    """The finding of the subtask that was stopped names it."""
    engine = flow()
    run = submitted(engine, limits, Purse(tariff=Tariff(input=1, output=2)))
    engine.work()
    stopped = [one.id for one in engine.progress(run.id).subtasks if str(one.status) == "partial"]
    assert {found.ending for found in engine.store.findings(stopped).values()} == {ending}
