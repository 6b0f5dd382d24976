"""Trying what a team names: each thing that does not load is one line with its key."""

from pathlib import Path

import pytest

from agents.catalog import AgentSpec, Team, TeamCommand, check, load_team

MODULE = '''
"""Tools of a shop."""
from agents.tools.function import ToolResult, tool

@tool("clock", effect="unsafe", use_when="always", not_when="never")
def refund(amount: int) -> ToolResult:
    """Refund."""
    return ToolResult("done")

def made():
    @tool("hidden", effect="read", use_when="always", not_when="never", isolated=True)
    def inner() -> ToolResult:
        """Hide."""
        return ToolResult("x")
    return inner

hidden = made()
plain = 3
'''


@pytest.fixture(autouse=True)
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module of the user's own."""
    (tmp_path / "shop_for_checking.py").write_text(MODULE, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)


def team(*tools: str, playbook: str | None = None, draft: str | None = None, looks: str | None = None) -> Team:
    """A team with one specialist."""
    return Team(
        name="shop",
        title="Shop",
        description="",
        planner=AgentSpec(name="planner", kind="planner", playbook=playbook),
        specialists=(AgentSpec(name="clerk", kind="specialist", instructions="Refund.", tools=tools),),
        composer=AgentSpec(name="composer", kind="composer"),
        reviewer=AgentSpec(name="reviewer", kind="reviewer"),
        command=TeamCommand(inputs=("left",), goal="x", check=looks) if looks else None,
        draft=draft,
        source="shop/team.toml",
    )


def test_a_sound_team_has_no_problems() -> None:
    """Built-in tools and one's own, playbook and draft."""
    sound = team("calculator", "shop_for_checking:refund", playbook="agents.models.playbook:answer", draft="json:dumps")
    assert check(sound) == []


def test_the_teams_that_ship_have_no_problems() -> None:
    """All that they name is there."""
    assert check(load_team("reconcile")) == []


@pytest.mark.parametrize(
    ("unsound", "told"),
    [
        (team("calculater"), "agents.clerk.tools: tool `calculater`: there is no built-in tool of this name"),
        (team("shop_for_checking:refnd"), "agents.clerk.tools: `shop_for_checking:refnd`: `shop_for_checking` has no"),
        (
            team("shop_for_checking:plain"),
            "tool `shop_for_checking:plain`: it is a `int`, not a tool",
        ),
        (team("clock", "shop_for_checking:refund"), "`shop_for_checking:refund` and `clock` are both called `clock`"),
        (
            team("shop_for_checking:hidden"),
            "tool `hidden`: `shop_for_checking:made.<locals>.inner`",
        ),
        (team(playbook="shop_for_checking:plan"), "planner.playbook: `shop_for_checking:plan`: "),
        (
            team(playbook="shop_for_checking:plain"),
            "planner.playbook: `shop_for_checking:plain` is a int, not a",
        ),
        (team(draft="shop_for_checking"), "result.draft: `shop_for_checking`: this is no reference"),
        (team(looks="shop_for_checking:look"), "command.check: `shop_for_checking:look`: "),
    ],
)
def test_each_problem_is_one_line(unsound: Team, told: str) -> None:
    """Its key in the team file, what is wrong, what to do."""
    (problem,) = check(unsound)
    assert told in problem
    assert problem.startswith(("agents.clerk.tools: ", "planner.playbook: ", "result.draft: ", "command.check: "))
    assert "\n" not in problem


def test_all_problems_are_told_at_once() -> None:
    """Not one after another, each with a new try."""
    assert len(check(team("one", "two", playbook="three:x", draft="four"))) == 4
