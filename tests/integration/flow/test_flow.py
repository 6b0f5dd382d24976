"""A goal goes its way through the engine, whatever its agents say."""

from collections.abc import Callable
from typing import Any

import pytest

from agents.errors import ModelRefusedError, ModelUnavailableError
from orchestrator.domain.finding import Ending

Make = Callable[..., Any]
A = {"key": "a", "agent": "finder", "title": "A", "instruction": "1 + 1"}
B = {**A, "key": "b", "title": "B", "after": [{"subtask": "a"}]}


def saying(value: Any) -> Callable[[Any, Any], Any]:
    """An agent that always says the same."""

    def say(briefing: Any, request: Any) -> Any:
        del briefing, request
        return value

    return say


def statuses(progress: Any) -> dict[str, str]:
    """Key → status."""
    return {one.key: str(one.status) for one in progress.subtasks}


def failing(*_: Any) -> dict[str, str]:
    """An answer that says it could not be done."""
    return {"summary": "there is none", "status": "failed"}


def test_the_usual_way(flow: Make) -> None:
    """Plan, find, compose, review; the answer stands in the result with what it used."""
    engine = flow()
    progress = engine.run()
    assert statuses(progress) == {"plan": "done", "a": "done", "compose": "done", "review": "done"}
    result = engine.result(progress.run.id)
    assert (result.state, result.data["answer"]) == ("done", "- 1 + 1 = 2 [E2.1]")
    assert result.data["usage"] == {
        "model": "words",
        "calls": 5,
        "input_tokens": 50,
        "output_tokens": 50,
        "cost": "0.005",
    }


def test_a_direct_answer_is_reviewed_too(flow: Make) -> None:
    """The planner answers at once; nothing else is planned."""
    progress = (engine := flow(planner=saying({"answer": "It is so."}))).run()
    assert (progress.state, statuses(progress)) == ("done", {"plan": "done", "review": "done"})
    assert engine.result(progress.run.id).data["answer"] == "It is so."


def test_the_asker_is_asked_before_any_tool(flow: Make) -> None:
    """A goal that lacks something becomes a clarification; the planner goes on with the answer."""

    def plan(_: Any, request: Any) -> Any:
        told = request.messages[-1].text
        return {"answer": "For March."} if "March" in told else {"ask": {"question": "Which month?"}}

    engine = flow(planner=plan)
    progress = engine.run()
    assert (progress.state, statuses(progress)) == ("waiting", {"plan": "waiting"})
    ticket = engine.open_ticket(progress.run.id)
    assert (ticket.kind, ticket.question) == ("clarification", "Which month?")
    assert engine.answer(progress.run.id, "March").state == "done"


def test_a_plan_that_stays_bad_goes_to_a_person(flow: Make) -> None:
    """Sent back with the reasons twice, then a person says how; their word is in the planner's transcript."""
    circle = {"subtasks": [{**A, "after": [{"subtask": "b"}]}, B]}
    told: list[str] = []

    def plan(_: Any, request: Any) -> Any:
        told.append(request.messages[-1].text)
        return {"answer": "ok"} if "by hand" in told[-1] else circle

    engine = flow(planner=plan)
    progress = engine.run()
    assert progress.state == "waiting"
    assert len(told) == 3
    assert "in a circle: " in told[1]
    assert "in a circle: " in engine.open_ticket(progress.run.id).tried
    assert engine.answer(progress.run.id, "do it by hand").state == "done"


def test_a_person_may_stop_a_bad_plan(flow: Make) -> None:
    """The run has failed, and says why."""
    engine = flow(planner=saying("no JSON at all"))
    progress = engine.answer(engine.run().run.id, "stop")
    assert (progress.state, progress.run.outcome.reason) == ("failed", "A person stopped the run.")


def test_a_failure_is_planned_around(flow: Make) -> None:
    """The new plan's subtask takes its place; what waited for the failed one is replaced."""

    def plan(briefing: Any, _: Any) -> Any:
        again = {"subtasks": [{**A, "key": "other", "title": "Other"}]}
        return again if briefing["predecessors"] else {"subtasks": [{**A, "instruction": "fail"}, B]}

    def find(briefing: Any, request: Any) -> Any:
        return failing() if briefing["instruction"] == "fail" else {"summary": "found"}

    progress = flow(planner=plan, specialist=find).run()
    assert progress.state == "done"
    assert statuses(progress) == {
        "plan": "done",
        "a": "failed",
        "b": "skipped",
        "replan1": "done",
        "other": "done",
        "compose": "done",
        "review": "done",
    }


def test_two_replans_then_the_answer_says_so(flow: Make) -> None:
    """What still fails is skipped with its dependents, and the composer is told."""
    keys = iter("cdefg")
    composed: list[Any] = []

    def plan(briefing: Any, _: Any) -> Any:
        return {"subtasks": [{**A, "key": next(keys)}] if briefing["predecessors"] else [A, B]}

    def compose(briefing: Any, _: Any) -> Any:
        composed.extend((one["key"], one["status"]) for one in briefing["predecessors"])
        return {"answer": "It could not be found."}

    progress = flow(planner=plan, specialist=failing, composer=compose).run()
    assert progress.state == "done"
    assert statuses(progress) | {"compose": "done"} == statuses(progress)
    assert [key for key, status in composed if status == "failed"] == ["a", "c", "d"]


@pytest.mark.parametrize(("choice", "state"), [("accept", "done"), ("stop", "failed")])
def test_after_two_rounds_a_person_decides(flow: Make, choice: str, state: str) -> None:
    """A figure without a source is stopped by code, whatever the reviewer says; in the end a person lets it stand."""
    engine = flow(composer=saying({"answer": "It is 3 [E2.1]."}))
    progress = engine.run()
    assert progress.state == "waiting"
    ticket = engine.open_ticket(progress.run.id)
    assert ticket.topic == "review"
    assert "3" in ticket.tried
    progress = engine.answer(progress.run.id, choice)
    assert progress.state == state
    composers = [one.key for one in progress.subtasks if one.spec.kind == "composer"]
    assert composers == ["compose", "compose@2", "compose@3"]
    report = engine.result(progress.run.id).report
    assert ("Objections a person let stand" in report) is (choice == "accept")


def test_a_subtask_is_sent_back_with_the_reason(flow: Make) -> None:
    """Its successor reads why; the answer rests on the successor."""
    rounds = iter(["send_back", "pass"])
    feedback: list[Any] = []

    def find(briefing: Any, request: Any) -> Any:
        feedback.append(briefing["feedback"])
        return {"summary": f"found {'again' if briefing['feedback'] else 'once'}"}

    def review(*_: Any) -> Any:
        return {"verdict": next(rounds), "send_back": [{"subtask": "a", "reason": "look closer"}]}

    progress = (engine := flow(specialist=find, reviewer=review)).run()
    assert progress.state == "done"
    assert feedback == [[], ["look closer"]]
    assert engine.result(progress.run.id).data["answer"] == "- found again"


def test_what_must_not_leave_is_blacked_out(flow: Make) -> None:
    """A key found by pattern and a string the reviewer names are in no file and no field of the result."""
    secret = "sk-abcdefghijklmnop1234567890"
    engine = flow(
        composer=saying({"answer": f"The key is {secret}, the mole is Bond."}),
        reviewer=saying({"verdict": "pass", "withhold": ["Bond"]}),
    )
    result = engine.result(engine.run(f"Find out with {secret}.").run.id)
    assert result.state == "done"
    for content in result.files.values():
        assert secret.encode() not in content
        assert b"Bond" not in content
    assert "[withheld]" in result.report


def test_a_model_that_is_away_is_asked_again_later(flow: Make) -> None:
    """The subtask waits as a row, longer each time, and goes on when the model answers."""
    away = iter([ModelUnavailableError("no answer")] * 2)

    def find(*_: Any) -> Any:
        return next(away, {"summary": "found"})

    engine = flow(specialist=find)
    progress = engine.run()
    assert statuses(progress)["a"] == "waiting"
    for seconds in (5.1, 20.1):
        engine.sweeper.sweep()
        assert not engine.broker.woken
        engine.clock.advance(seconds)
        engine.sweeper.sweep()
        engine.work()
    assert engine.progress(progress.run.id).state == "done"


def test_a_model_that_refuses_is_not_asked_again(flow: Make) -> None:
    """A bad key fails the subtask at once, with the endpoint's word in the finding."""
    engine = flow(planner=saying(ModelRefusedError("the key was refused", where="endpoint")))
    progress = engine.run()
    assert progress.state == "failed"
    assert "the key was refused" in progress.run.outcome.reason


def test_three_questions_at_once_get_their_own_answers(flow: Make) -> None:
    """Each answer goes to its own call, in whatever order people answer (failures 34)."""
    seen: list[str] = []

    def find(_: Any, request: Any) -> Any:
        tools = [message.text for message in request.messages if message.role == "tool"]
        if not tools:
            return [("escalate", {"question": f"Q{n}?", "answer_type": "text", "about": f"q{n}"}) for n in range(3)]
        seen.extend(tools)
        return {"summary": "answered"}

    engine = flow(specialist=find)
    run_id = engine.run().run.id
    tickets = engine.store.tickets(engine.scope, run_id=run_id, status="open")
    for ticket in reversed(tickets):
        engine.answers.answer(engine.scope, ticket.id, f"for {ticket.about}", "", engine.actor)
        engine.work()
    assert engine.progress(run_id).state == "done"
    assert [f"for q{n}" in text for n, text in enumerate(seen)] == [True, True, True]


def test_a_deadline_passes_with_its_default(flow: Make) -> None:
    """Nobody answers in time: the default counts, once, and the run goes on."""

    def find(_: Any, request: Any) -> Any:
        if request.messages[-1].role != "tool":
            choices = [{"value": "yes", "label": "Yes"}, {"value": "no", "label": "No"}]
            return [("escalate", {"question": "Really?", "choices": choices, "hours": 1, "default": "no"})]
        return {"summary": "it is no" if '"answer":"no"' in request.messages[-1].text else "?"}

    engine = flow(specialist=find)
    run_id = engine.run().run.id
    engine.clock.advance(3599)
    engine.sweeper.sweep()
    assert engine.progress(run_id).state == "waiting"
    engine.clock.advance(2)
    engine.sweeper.sweep()
    engine.sweeper.sweep()
    engine.work()
    assert engine.result(run_id).data["answer"] == "- it is no"
    (ticket,) = engine.store.tickets(engine.scope, run_id=run_id)
    assert (ticket.status, ticket.answer) == ("expired", "no")


def test_a_mapped_subtask_over_nothing_is_done(flow: Make) -> None:
    """No items: the group is done, its dependents go on."""

    def plan(*_: Any) -> Any:
        over = {"subtask": "a", "list": "items"}
        return {"subtasks": [A, {**B, "key": "each", "over": over}, {**B, "key": "c", "after": [{"subtask": "each"}]}]}

    def find(briefing: Any, _: Any) -> Any:
        return {"summary": briefing["title"], "data": {"items": []}}

    progress = flow(planner=plan, specialist=find).run()
    assert (progress.state, statuses(progress)["each"], statuses(progress)["c"]) == ("done", "done", "done")


def test_a_mapped_subtask_over_what_is_no_list_fails(flow: Make) -> None:
    """It says which list is missing, and is planned around like any failure."""
    over = {"subtask": "a", "list": "items"}

    def plan(briefing: Any, _: Any) -> Any:
        if briefing["predecessors"]:
            return {"answer": "no other way"}
        return {"subtasks": [A, {**B, "key": "each", "over": over}]}

    engine = flow(planner=plan, specialist=saying({"summary": "found"}))
    progress = engine.run()
    assert (progress.state, statuses(progress)["each"]) == ("done", "failed")
    (work,) = (one for one in engine.reader.work(engine.scope, progress.run.id) if one.subtask.key == "each")
    assert "has no list `items`" in work.finding.text
    assert work.finding.ending is Ending.REFUSED


def test_cancelling_stops_everything(flow: Make) -> None:
    """A run that waits is cancelled with its ticket; an answer afterwards changes nothing."""
    engine = flow(planner=saying({"ask": {"question": "Which?"}}))
    run_id = engine.run().run.id
    ticket = engine.open_ticket(run_id)
    engine.reader.cancel(engine.scope, run_id, "not needed", engine.actor)
    assert engine.progress(run_id).state == "cancelled"
    with pytest.raises(Exception, match="already cancelled"):
        engine.answers.answer(engine.scope, ticket.id, "x", "", engine.actor)


def test_one_run_is_one_trace(flow: Make) -> None:
    """Every span of a run has the run's trace, and a parent in it; the root comes last."""
    engine = flow()
    progress = engine.run()
    spans = engine.telemetry.spans
    trace = progress.run.trace.split("-")[1]
    ids = {span.span_id for span in spans}
    assert {span.trace_id for span in spans} == {trace}
    assert [span.name for span in spans if span.parent_id not in ids] == ["run flow"]


@pytest.mark.parametrize("steps", [1, 2, 3, 10])
def test_a_reviewer_that_comes_to_no_verdict(flow: Make, steps: int) -> None:
    """Its words are no verdict, however few steps it has: a person is asked, and may let the answer stand."""
    team = f"""
name = "flow"
[planner]
[agents.finder]
instructions_text = "Find."
tools = ["calculator"]
[composer]
[reviewer]
steps = {steps}
"""
    engine = flow(team, reviewer=saying({"mood": "undecided"}))
    progress = engine.run()
    ticket = engine.open_ticket(progress.run.id)
    assert ticket.topic == "review"
    assert ticket.question == "The reviewer came to no verdict on the answer. What shall be done?"
    assert engine.answer(progress.run.id, "accept").state == "done"
