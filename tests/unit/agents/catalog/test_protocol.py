"""A team says how the model of an agent is told of its tools."""

from pathlib import Path

import pytest

from agents.catalog import load_team
from orchestrator.errors import TeamError

TEAM = """
name = "shelf"
[planner]
protocol = "native"
[agents.keeper]
instructions_text = "Keep the shelf."
tools = ["calculator"]
{line}
"""


def _written(folder: Path, line: str) -> str:
    file = folder / "team.toml"
    file.write_text(TEAM.format(line=line), "utf-8")
    return str(file)


def test_each_agent_has_its_own(tmp_path: Path) -> None:
    """Found out where nothing is said."""
    team = load_team(_written(tmp_path, 'protocol = "text"'))
    assert [agent.protocol for agent in team.agents()] == ["native", "text", "auto", "auto"]


def test_another_word_is_refused_in_one_line(tmp_path: Path) -> None:
    """With the words that there are."""
    with pytest.raises(TeamError) as caught:
        load_team(_written(tmp_path, 'protocol = "txt"'))
    assert "agents.keeper.protocol: input should be 'auto', 'native' or 'text', not `txt`" in str(caught.value)
