"""Why a subtask ended is always on record, and the run goes on from there."""

from collections.abc import Callable
from typing import Any

from agents.errors import ModelUnavailableError
from orchestrator.domain.finding import Ending, Finding

Make = Callable[..., Any]


def finding(engine: Any, progress: Any, key: str = "a") -> Finding:
    """What the subtask of this key left."""
    (worked,) = [one for one in progress.subtasks if one.key == key]
    return engine.store.findings([worked.id])[worked.id]


def test_a_model_that_stays_away_ends_the_subtask_and_is_planned_around(flow: Make) -> None:
    """It waits as a row, longer each time; then the run is told, and the planner finds another way."""
    asked: list[str] = []

    def plan(briefing: dict[str, Any], request: Any) -> Any:
        del request
        asked.append("plan")
        if briefing["predecessors"]:
            return {"answer": "Done without it."}
        return {"subtasks": [{"key": "a", "agent": "finder", "title": "A", "instruction": "1 + 1"}]}

    def away(briefing: dict[str, Any], request: Any) -> Any:
        del briefing, request
        asked.append("find")
        return ModelUnavailableError("the endpoint did not answer")

    engine = flow(planner=plan, specialist=away)
    run = engine.submit()
    engine.work()
    for wait in (5, 20, 80, 320):
        assert engine.progress(run.id).state == "running"
        engine.clock.advance(wait)
        engine.sweeper.sweep()
        engine.work()
    progress = engine.progress(run.id)
    found = finding(engine, progress)
    assert (found.status, found.ending, found.text) == (
        "failed",
        Ending.MODEL_UNAVAILABLE,
        "the endpoint did not answer",
    )
    assert asked == ["plan", *["find"] * 5, "plan"]
    assert progress.state == "done"


def test_an_agent_that_goes_in_circles_leaves_a_diagnosis(flow: Make) -> None:
    """Its finding is partial, so that the others can go on with what it observed."""

    def circle(briefing: dict[str, Any], request: Any) -> Any:
        del briefing
        return [("calculator", {"expression": "1 + 1" if len(request.messages) % 4 == 2 else "2 + 2"})]

    engine = flow(specialist=circle)
    progress = engine.run()
    found = finding(engine, progress)
    assert (found.status, found.ending) == ("partial", Ending.NO_PROGRESS)
    assert found.text.startswith("No progress. calculator was called in 3 steps with the same arguments")
    assert "- 1 + 1 = 2\n- 2 + 2 = 4" in found.text
