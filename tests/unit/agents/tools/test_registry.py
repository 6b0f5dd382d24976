"""Loading tools by name: those that ship, and a user's own."""

from typing import Any

import pytest

from agents.tools.builtin.clock import clock
from agents.tools.function import Tool
from agents.tools.registry import BUILTIN, load_tool
from orchestrator.errors import TeamError


@pytest.mark.parametrize("name", sorted(BUILTIN))
def test_each_tool_that_ships_loads_under_its_name(name: str) -> None:
    """The name in the registry is the name that models call."""
    tool = load_tool(name)
    assert isinstance(tool, Tool)
    assert tool.name == name
    assert tool.schema()["type"] == "object"


@pytest.mark.parametrize("name", sorted(BUILTIN))
def test_each_argument_of_a_tool_that_ships_is_described(name: str) -> None:
    """A model can only use what it is told of."""
    properties = load_tool(name).schema()["properties"]
    assert [argument for argument, schema in properties.items() if not described(schema)] == []


def described(schema: dict[str, Any]) -> bool:
    """True when the argument, or one form of it, has a description."""
    return any(one.get("description") for one in (schema, *schema.get("anyOf", ())))


def test_loads_a_tool_by_its_reference() -> None:
    """`module:attribute`."""
    assert load_tool("agents.tools.builtin.clock:clock") is clock


@pytest.mark.parametrize(
    ("reference", "told"),
    [
        (
            "table.profile",
            "there is no built-in tool of this name. Did you mean `tables.profile`",
        ),
        ("nonsense", "Your own tools are named `package.module:function`."),
        ("agents.tools.registry:load_tool", "it is a `function`, not a tool. Decorate the function with `@tool"),
        ("agents.tools.registry:load_tol", "has no `load_tol`. Did you mean `load_tool`"),
    ],
)
def test_says_what_is_wrong_with_a_name(reference: str, told: str) -> None:
    """One line: which name, and what exists."""
    with pytest.raises(TeamError) as caught:
        load_tool(reference)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)
