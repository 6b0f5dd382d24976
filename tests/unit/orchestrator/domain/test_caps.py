"""Which pools concern a run, and who of a line finds room."""

from datetime import UTC, datetime, timedelta

import pytest
from pydantic import ValidationError

from orchestrator.domain.caps import InLine, Room, RunCaps, TeamCaps, caps_of

BEGIN = datetime(2026, 3, 1, tzinfo=UTC)
TEAM = TeamCaps(
    team=9, agents={"reader": 4, "other": 1}, tools={"web.fetch": 2}, users={"reader": ("web.fetch",), "seer": ()}
)


def line(*waiting: tuple[str, int, tuple[str, ...]]) -> list[InLine]:
    """Who waits: a name, since how many seconds after the beginning, and for which pools."""
    return [InLine(name, BEGIN + timedelta(seconds=since), pools) for name, since, pools in waiting]


def test_a_run_has_its_own_pool_and_those_that_its_team_shares() -> None:
    """Each agent has those of its own and of its capped tools."""
    caps = caps_of("r1", "acme", "demo", TEAM, 3)
    assert caps.most() == {
        "run r1": 3,
        "team acme/demo": 9,
        "agent acme/demo/reader": 4,
        "agent acme/demo/other": 1,
        "tool acme/demo/web.fetch": 2,
    }
    assert caps.pools("reader") == ("agent acme/demo/reader", "run r1", "team acme/demo", "tool acme/demo/web.fetch")
    assert caps.pools("planner") == ("run r1", "team acme/demo")


def test_without_caps_there_are_no_pools() -> None:
    """Nothing is counted for such a run."""
    caps = caps_of("r1", "acme", "demo", TeamCaps(), None)
    assert caps == RunCaps()
    assert caps.pools("reader") == ()


@pytest.mark.parametrize("cap", [0, -1, 100_001, "many"])
def test_a_cap_lets_somebody_in(cap: object) -> None:
    """A cap of nought would stop a team for ever."""
    with pytest.raises(ValidationError):
        TeamCaps.model_validate({"team": cap})


def test_room_is_what_is_not_taken() -> None:
    """In every pool that is needed; a pool that nobody limits always has room."""
    room = Room({"a": 2, "b": 1}, [("a",), ("a", "b")])
    assert [room.has(pools) for pools in ((), ("a",), ("b",), ("c",), ("b", "c"))] == [True, False, False, True, False]


def test_the_first_for_whom_there_is_room_are_let_in() -> None:
    """By since when they wait; whoever finds a pool full does not hold up the others."""
    room = Room({"a": 2, "b": 1}, [("b",)])
    waiting = line(("late", 9, ("a",)), ("full", 0, ("a", "b")), ("first", 1, ("a",)), ("second", 2, ("a",)))
    assert room.admit(waiting, 10) == ["first", "second"]
    assert not room.has(("a",))


def test_no_more_are_let_in_than_asked_for() -> None:
    """Two of the same moment go by their ids."""
    room = Room({"a": 9}, [])
    assert room.admit(line(("y", 0, ("a",)), ("x", 0, ("a",)), ("z", 0, ("a",))), 2) == ["x", "y"]
    assert room.admit(line(("z", 0, ("a",))), 0) == []
