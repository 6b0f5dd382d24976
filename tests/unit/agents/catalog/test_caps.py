"""Caps in a team file: `max_parallel` of the team, of an agent, of a tool."""

from collections.abc import Callable
from pathlib import Path

import pytest

from agents.catalog import load_team, pin, unpin
from orchestrator.domain.caps import TeamCaps
from orchestrator.errors import TeamError

PLAIN = """
name = "shop"

[agents.clerk]
instructions_text = "Look."
tools = ["calculator", "clock"]

[agents.writer]
instructions_text = "Write."
tools = ["calculator"]
"""


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], str]:
    """Write a team file; its path."""

    def written(text: str) -> str:
        path = tmp_path / "team.toml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return written


def test_a_team_without_caps_has_none(write: Callable[[str], str]) -> None:
    """Nothing is counted for its runs."""
    assert load_team(write(PLAIN)).rules().caps == TeamCaps()


def test_all_kinds_of_caps(write: Callable[[str], str]) -> None:
    """They reach the engine, also from the pinned team; each agent is known with its capped tools."""
    text = PLAIN.replace("[agents.writer]", "max_parallel = 3\n\n[agents.writer]")
    text = f"max_parallel = 5\npriority = -2\n{text}\n[tools.calculator]\nmax_parallel = 2\n"
    team = load_team(write(text))
    expected = TeamCaps(
        team=5,
        agents={"clerk": 3},
        tools={"calculator": 2},
        users={"clerk": ("calculator",), "writer": ("calculator",)},
    )
    assert team.rules().caps == expected
    assert team.rules().priority == -2
    assert unpin(pin(team)).rules().caps == expected


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("[tools.calculater]\nmax_parallel = 2", "no agent has a tool `calculater`. Name one that an agent lists."),
        ("[tools.calculator]", "tools.calculator.max_parallel: it is missing"),
        ("[tools.calculator]\nmax_parallel = 0", "tools.calculator.max_parallel: input should be greater"),
        ("[tools.calculator]\nmax_parallel = 1\nmax_paralel = 1", "Did you mean `max_parallel`?"),
    ],
)
def test_a_mistake_is_one_line(write: Callable[[str], str], more: str, said: str) -> None:
    """With the file and the key."""
    path = write(f"{PLAIN}\n{more}\n")
    with pytest.raises(TeamError) as caught:
        load_team(path)
    assert said in str(caught.value)
    assert path in str(caught.value)
    assert "\n" not in str(caught.value)
