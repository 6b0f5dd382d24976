"""Where a tool stands: found from another process, or refused with the reason."""

import dataclasses

import pytest

from agents.isolation.addresses import address_of
from agents.tools.builtin.clock import clock
from agents.tools.function import ToolResult, tool
from orchestrator.errors import TeamError


def test_a_tool_at_the_top_of_a_module_has_an_address() -> None:
    """`module:attribute`."""
    assert address_of(clock) == "agents.tools.builtin.clock:clock"


def test_a_tool_inside_a_function_has_none() -> None:
    """Another process could not import it; the error says what to do."""

    @tool("inner", use_when="always", not_when="never")
    def inner() -> ToolResult:
        """Do nothing."""
        return ToolResult("x")

    with pytest.raises(TeamError, match=r"cannot be found from another process\. Define the function at the top level"):
        address_of(inner)


def test_a_tool_that_is_not_what_stands_there_has_none() -> None:
    """Under the name stands another object."""
    with pytest.raises(TeamError, match="is not this tool"):
        address_of(dataclasses.replace(clock, seconds=1))
