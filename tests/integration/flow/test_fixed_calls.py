"""Subtasks without a model: the plan fixes a call, code makes it, and nothing of it costs tokens."""

from collections.abc import Callable
from typing import Any

Make = Callable[..., Any]
SUM = {
    "key": "sum",
    "agent": "finder",
    "title": "The sum",
    "instruction": "Add up.",
    "call": {"tool": "calculator", "arguments": {"expression": "1204.50 + 3"}},
}


def never(*_: Any) -> Any:
    """An agent that must not be asked."""
    message = "a model was asked"
    raise AssertionError(message)


def planned(*subtasks: dict[str, Any]) -> Callable[[Any, Any], Any]:
    """A planner with this plan."""
    return lambda _briefing, _request: {"subtasks": list(subtasks)}


def test_a_fixed_call_is_made_without_a_model(flow: Make) -> None:
    """Its finding is what the tool gave, with the observation as evidence; two steps, no token."""
    engine = flow(planner=planned(SUM), specialist=never)
    progress = engine.run()
    (row,) = [one for one in progress.subtasks if one.key == "sum"]
    finding = engine.store.findings([row.id])[row.id]
    assert (finding.status, finding.text) == ("done", "1204.50 + 3 = 1207.5 [E2.1]")
    assert (finding.evidence, finding.result) == (("E2.1",), "E2.1")
    assert [step.usage.model for step in engine.store.steps(row.id)] == ["playbook", "playbook"]
    assert sum(step.usage.tokens for step in engine.store.steps(row.id)) == 0


def test_a_mapped_call_gets_its_item(flow: Make) -> None:
    """Each copy is called with its own; one that fails leaves the others."""
    items = [{"e": "2 * 3"}, {"e": "2 *"}, {"e": "7 - 1"}]
    call = {"tool": "calculator", "arguments": {"expression": "$item.e"}}
    engine = flow(planner=planned({**SUM, "call": call, "over": {"items": items}}), specialist=never)
    progress = engine.run()
    rows = [one for one in progress.subtasks if one.parent_id is not None]
    found = engine.store.findings([one.id for one in rows])
    assert [str(one.status) for one in rows] == ["done", "failed", "done"]
    assert [found[one.id].text.split(" [")[0] for one in rows][::2] == ["2 * 3 = 6", "7 - 1 = 6"]
    assert found[rows[1].id].text.startswith("`calculator` failed: ")


def test_a_call_that_cannot_be_made_sends_the_plan_back(flow: Make) -> None:
    """The planner reads why, and plans anew."""
    said: list[str] = []

    def plan(_briefing: Any, request: Any) -> Any:
        said.extend(one.text for one in request.messages[2:] if one.role == "user")
        wrong = {**SUM, "call": {"tool": "abacus", "arguments": {}}}
        return {"subtasks": [SUM if said else wrong]}

    progress = flow(planner=plan, specialist=never).run()
    assert progress.state == "done"
    assert "calls `abacus`; its agent `finder` has `calculator`, `escalate`." in said[0]


def test_what_was_sent_back_is_left_to_the_agent(flow: Make) -> None:
    """A call that gave what does not do would give the same again."""
    verdicts = iter([{"verdict": "send_back", "send_back": [{"subtask": "sum", "reason": "not that"}]}])
    asked: list[Any] = []

    def think(briefing: Any, _request: Any) -> Any:
        asked.append(briefing["feedback"])
        return {"summary": "It is known."}

    def review(_briefing: Any, _request: Any) -> Any:
        return next(verdicts, {"verdict": "pass", "note": "good"})

    engine = flow(planner=planned(SUM), specialist=think, reviewer=review)
    assert engine.run().state == "done"
    assert asked == [["not that"]]
