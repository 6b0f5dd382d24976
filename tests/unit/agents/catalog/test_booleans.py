"""`true` and `false` where a team file wants a number."""

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from agents.catalog import load_team
from agents.catalog.toml_file import TeamFile
from orchestrator.errors import TeamError

NAMED = {"agents": "clerk", "mcp": "stock", "tools": "calculator"}
"""Tables that hold tables with names of their own."""


def _leaves(annotation: Any) -> set[Any]:
    inner = get_args(annotation)
    return set[Any]().union(*(_leaves(part) for part in inner)) if inner else {annotation}


def _numbers(model: type[BaseModel], place: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Where the model of the file wants numbers."""
    for name, field in model.model_fields.items():
        path = (*place, name, NAMED[name]) if not place and name in NAMED else (*place, name)
        leaves = _leaves(field.annotation)
        if leaves & {int, float, Decimal}:
            yield path
        for leaf in leaves:
            if isinstance(leaf, type) and issubclass(leaf, BaseModel):
                yield from _numbers(leaf, path)


NUMBERS = sorted(_numbers(TeamFile))


def _written(path: tuple[str, ...], *, value: bool) -> str:
    """A team file that says so at that place."""
    content: dict[str, Any] = {
        "name": "shop",
        "agents": {"clerk": {"instructions_text": "Look.", "tools": ["calculator"]}},
    }
    if path[0] == "mcp":
        content["mcp"] = {"stock": {"command": ["python", "server.py"]}}
    table = content
    for name in path[:-1]:
        table = table.setdefault(name, {})
    table[path[-1]] = value
    return "".join(f"{name} = {_toml(part)}\n" for name, part in content.items())


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name} = {_toml(part)}" for name, part in value.items()) + "}"
    return json.dumps(value)


def test_all_numbers_are_looked_at() -> None:
    """Those of the team, its agents and roles, tools, servers and budgets are among them."""
    found = {".".join(path) for path in NUMBERS}
    assert {"priority", "max_parallel", "agents.clerk.steps", "planner.temperature", "reviewer.timeout"} <= found
    assert {"tools.calculator.max_parallel", "mcp.stock.seconds", "budget.run.cost", "budget.month.tokens"} <= found
    assert len(found) > 40


@pytest.mark.parametrize("value", [True, False])
@pytest.mark.parametrize("path", NUMBERS, ids=".".join)
def test_a_boolean_is_no_number(tmp_path: Path, path: tuple[str, ...], value: bool) -> None:
    """It is refused in one line that names the key and what stands there; Python would take it for 1 or 0."""
    file = tmp_path / "team.toml"
    file.write_text(_written(path, value=value), encoding="utf-8")
    with pytest.raises(TeamError) as caught:
        load_team(str(file))
    said = str(caught.value)
    assert f"{file}: {'.'.join(path)}: write a number, not `{str(value).lower()}`." in said
    assert "\n" not in said


def test_a_boolean_stays_one_where_it_is_wanted(tmp_path: Path) -> None:
    """As in `must_look`."""
    file = tmp_path / "team.toml"
    file.write_text(_written(("agents", "clerk", "must_look"), value=True), encoding="utf-8")
    assert load_team(str(file)).specialists[0].must_look is True
