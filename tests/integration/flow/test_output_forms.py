"""The form of a finding in the whole engine: a plan's word goes before the team's; what does not fit goes back."""

from collections.abc import Callable
from typing import Any

import pytest

from orchestrator.domain.finding import Ending

Make = Callable[..., Any]
TEAM = """
name = "forms"
[planner]
[agents.finder]
instructions_text = "Find."
tools = ["calculator"]
[agents.finder.output]
type = "object"
required = ["sum"]
[composer]
[reviewer]
"""
OWN = {"type": "object", "required": ["value"], "properties": {"value": {"type": "integer"}}}


def planned(output: dict[str, Any] | None) -> Callable[..., Any]:
    """A plan of one subtask whose finding has this form."""
    one = {"key": "k", "agent": "finder", "title": "k", "instruction": "1 + 1", "output": output}

    def plan(briefing: dict[str, Any], request: Any) -> Any:
        del briefing, request
        return {"subtasks": [one]}

    return plan


def saying(answer: dict[str, Any]) -> Callable[..., Any]:
    """A specialist that always answers so."""

    def find(briefing: dict[str, Any], request: Any) -> Any:
        del briefing, request
        return answer

    return find


@pytest.mark.parametrize(("output", "name"), [(OWN, "value"), (None, "sum")], ids=["the plan's", "the team's"])
def test_a_finding_that_does_not_fit_goes_back(flow: Make, output: dict[str, Any] | None, name: str) -> None:
    """The agent is told the form at the beginning, and what is missing when it forgets it."""
    asked: list[Any] = []

    def find(briefing: dict[str, Any], request: Any) -> Any:
        del briefing
        asked.append(request.messages)
        return {"summary": "done"} if len(asked) == 1 else {"summary": "done", "data": {name: 1}}

    engine = flow(TEAM, planner=planned(output), specialist=find)
    progress = engine.run()
    assert progress.state == "done"
    assert f'"required":["{name}"]' in asked[0][1].text
    assert f"`data`: '{name}' is a required property." in asked[1][-1].text
    (worked,) = [one.id for one in progress.subtasks if one.key == "k"]
    assert engine.store.findings([worked])[worked].data == {name: 1}


def test_a_finding_that_never_fits_has_failed(flow: Make) -> None:
    """Told twice; what would be wrong data for code is not passed on."""
    engine = flow(TEAM, planner=planned(OWN), specialist=saying({"summary": "done"}))
    progress = engine.run()
    (worked,) = [one for one in progress.subtasks if one.key == "k"]
    finding = engine.store.findings([worked.id])[worked.id]
    assert (str(worked.status), finding.ending) == ("failed", Ending.UNPARSABLE)
    assert finding.text == "`data`: 'value' is a required property."


def test_a_plan_whose_form_is_none_goes_back(flow: Make) -> None:
    """To the planner, before anybody works by it."""
    said: list[str] = []

    def plan(briefing: dict[str, Any], request: Any) -> Any:
        said.append(request.messages[-1].text)
        return planned({"type": "array"} if len(said) == 1 else None)(briefing, request)

    engine = flow(TEAM, planner=plan, specialist=saying({"summary": "done", "data": {"sum": 1}}))
    assert engine.run().state == "done"
    assert "The `output` of subtask `k` cannot be used" in said[1]
