"""A pinned team is the team as it was, and knows when a tool has changed since."""

import json

import pytest

from agents.catalog import AgentSpec, Team, load_team, pin, unpin
from orchestrator.errors import DefectError, TeamError

TEAM = Team(
    name="shop",
    title="商店",
    description="",
    planner=AgentSpec(name="planner", kind="planner", role="Plan.", model="gpt-5"),
    specialists=(
        AgentSpec(
            name="clerk",
            kind="specialist",
            instructions="Refund.",
            tools=("calculator", "clock"),
            protocol="text",
            seconds=1.5,
        ),
    ),
    composer=AgentSpec(name="composer", kind="composer"),
    reviewer=AgentSpec(name="reviewer", kind="reviewer"),
)


def test_a_team_comes_back_as_it_was() -> None:
    """Texts, models, limits; the same text every time."""
    text = pin(TEAM)
    assert unpin(text) == TEAM
    assert pin(unpin(text)) == text
    assert "商店" in text


def test_a_team_of_an_earlier_release_asks_as_it_did() -> None:
    """What is not in the pinned text has its default: the protocol of models is found out."""
    pinned = json.loads(pin(TEAM))
    del pinned["team"]["specialists"][0]["protocol"]
    assert unpin(json.dumps(pinned)).specialists[0].protocol == "auto"


def test_a_team_that_ships_comes_back_as_it_was() -> None:
    """With its prompts, which a later release may change."""
    team = load_team("reconcile")
    assert unpin(pin(team)) == team
    assert team.planner.role in unpin(pin(team)).planner.role


def test_a_team_whose_tools_do_not_load_is_not_pinned() -> None:
    """The error comes when the goal is submitted, not on a worker later."""
    clerk = TEAM.specialists[0].model_copy(update={"tools": ("calculater",)})
    with pytest.raises(TeamError, match="Did you mean `calculator`"):
        pin(TEAM.model_copy(update={"specialists": (clerk,)}))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"team": {"name": "x"}}', "null"])
def test_what_cannot_be_read_is_a_defect(text: str) -> None:
    """One line, not a traceback of a validator."""
    with pytest.raises(DefectError, match="the team stored with the run cannot be read"):
        unpin(text)
