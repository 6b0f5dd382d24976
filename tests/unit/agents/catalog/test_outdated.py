"""What a new version would break of a pinned team is named, a line each; what it would not is not mentioned."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from agents.catalog import AgentSpec, Team, load_team, outdated, pin, shipped_teams

CLERK = AgentSpec(name="clerk", kind="specialist", instructions="Refund.", tools=("calculator", "tables.query"))
TEAM = Team(
    name="shop",
    title="商店",
    description="",
    planner=AgentSpec(name="planner", kind="planner", model="gpt-5"),
    specialists=(CLERK,),
    composer=AgentSpec(name="composer", kind="composer", model="playbook", playbook="agents.teams.x:compose"),
    reviewer=AgentSpec(name="reviewer", kind="reviewer"),
)
SOUND = TEAM.model_copy(update={"composer": AgentSpec(name="composer", kind="composer")})

Change = Callable[[dict[str, Any]], None]


def changed(change: Change) -> tuple[str, ...]:
    """What is said of the sound team when it had been pinned with this difference."""
    pinned = json.loads(pin(SOUND))
    change(pinned)
    return outdated(json.dumps(pinned))


def of(tool: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """The arguments of a tool as they were pinned."""
    return lambda pinned: pinned["tools"][tool]["arguments"]


def test_what_is_as_it_was_is_fine() -> None:
    """Also for all teams that ship."""
    assert outdated(pin(SOUND)) == ()
    for one in shipped_teams():
        assert outdated(pin(load_team(one.name))) == ()


def test_what_only_models_read_may_change() -> None:
    """Prompts, descriptions, examples, defaults; and an argument that is new and need not be given."""

    def change(pinned: dict[str, Any]) -> None:
        pinned["team"]["planner"]["role"] = "Another prompt."
        arguments = of("tables.query")(pinned)
        arguments["description"] = "Other words."
        arguments["properties"]["sql"] |= {"description": "x", "examples": ["y"], "title": "z"}
        del arguments["properties"]["limit"]

    assert changed(change) == ()


BREAKS: Mapping[str, tuple[Change, str]] = {
    "effect": (
        lambda p: p["tools"]["calculator"].update(effect="unsafe"),
        "had the effect `unsafe`, now it has `read`",
    ),
    "argument gone": (
        lambda p: of("tables.query")(p)["properties"].update(most={"type": "integer"}),
        "`most` is gone",
    ),
    "kind": (
        lambda p: of("tables.query")(p)["properties"]["sql"].update(type="array"),
        "`sql` is of another kind",
    ),
    "needed": (lambda p: of("tables.query")(p)["required"].remove("sql"), "`sql` is needed now"),
    "schema": (
        lambda p: of("tables.query")(p).update(minProperties=2),
        "what its arguments are made of has changed",
    ),
    "tool gone": (
        lambda p: p["tools"].update({"shop:buy": p["tools"]["calculator"]}),
        "tool `shop:buy` is gone: there is no",
    ),
    "form": (lambda p: p.update(form=2), "written down in form 2, this version reads form 1"),
    "unreadable": (lambda p: p["team"].update(unheard_of=1), "the team stored with the run cannot be read"),
    "draft": (lambda p: p["team"].update(draft="shop:draft"), "its draft `shop:draft` is gone"),
}


@pytest.mark.parametrize(("change", "said"), BREAKS.values(), ids=BREAKS)
def test_what_would_break(change: Change, said: str) -> None:
    """Each in one line."""
    (line,) = changed(change)
    assert said in line
    assert "\n" not in line


def test_a_playbook_that_is_gone() -> None:
    """Where no model stands in for it."""
    (line,) = outdated(pin(TEAM))
    assert line.startswith("playbook `agents.teams.x:compose` is gone: ")
    model = TEAM.model_copy(update={"composer": TEAM.composer.model_copy(update={"model": "gpt-5"})})
    assert outdated(pin(model)) == ()
