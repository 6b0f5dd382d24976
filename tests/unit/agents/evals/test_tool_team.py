"""The team that is made up for the cases of tools."""

from agents.catalog import check
from agents.evals.tool_team import team_of


def test_one_agent_has_the_tools() -> None:
    """It loads, its one specialist has the tools, everybody else has none."""
    team = team_of(["calculator", "clock"])
    assert check(team) == []
    assert [(agent.name, agent.tools) for agent in team.specialists] == [("agent", ("calculator", "clock"))]
    assert all(not agent.tools for agent in (team.planner, team.composer, team.reviewer))
    assert team.specialists[0].instructions
