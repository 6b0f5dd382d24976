"""Which failures leave open whether a call took effect, and which do not."""

import pytest
from mcp import MCPError
from pydantic import BaseModel

from agents.tools.calling import OPEN
from agents.tools.function import Effect, Tool, ToolResult
from agents.tools.mcp import failures
from agents.tools.mcp.answers import failure, too_late
from agents.tools.mcp.failures import CallFailedError, as_tool_error
from agents.tools.mcp.http import MISHAP


class NoArguments(BaseModel):
    """None."""


def a_tool(effect: Effect) -> Tool:
    """A tool that failed."""
    return Tool(
        name="far.go",
        description="…",
        effect=effect,
        arguments=NoArguments,
        function=lambda: ToolResult(""),
        takes_context=False,
        seconds=30.0,
        isolated=False,
    )


@pytest.mark.parametrize(
    ("error", "code", "open_"),
    [
        (failures.NotRunError("x"), "server_unavailable", False),
        (failures.SessionEndedError("x"), "server_unavailable", False),
        (failures.ChangedError("x"), "tool_changed", False),
        (failures.UnansweredError("x"), "tool_crashed", True),
        (failures.BrokenError("x"), "tool_failed", True),
        (failures.TimedOutError("x"), "timeout", True),
        (failures.RefusedError("x"), "server_error", False),
        (failures.BadArgumentsError("x"), "invalid_arguments", False),
    ],
)
def test_only_silence_and_breakdowns_leave_it_open(error: CallFailedError, code: str, open_: bool) -> None:
    """An unsafe call of which nobody knows is put to a person; everything else the agent can read."""
    found = as_tool_error(a_tool("unsafe"), error)
    assert (found.code, found.code in OPEN) == (code, open_)
    assert found.what.startswith("far.go")


@pytest.mark.parametrize(("effect", "retryable"), [("read", True), ("idempotent", True), ("unsafe", False)])
def test_what_may_have_happened_is_tried_again_only_where_that_is_safe(effect: Effect, retryable: bool) -> None:
    """What was certainly not run may always be tried again."""
    assert as_tool_error(a_tool(effect), failures.UnansweredError("x")).retryable is retryable
    assert as_tool_error(a_tool(effect), failures.NotRunError("x")).retryable is True


@pytest.mark.parametrize(
    ("code", "message", "data", "kind"),
    [
        (-32603, "ConnectError", {MISHAP: "not_sent"}, failures.NotRunError),
        (-32603, "HTTP 401", {MISHAP: "rejected"}, failures.NotRunError),
        (-32603, "gone", {MISHAP: "session_ended"}, failures.SessionEndedError),
        (-32603, "HTTP 502", {MISHAP: "unknown"}, failures.UnansweredError),
        (-32603, "boom", None, failures.BrokenError),
        (0, "boom", None, failures.BrokenError),
        (-32000, "Connection closed", None, failures.UnansweredError),
        (-32000, "SSE stream ended without a response", None, failures.UnansweredError),
        (-32000, "quota used up", None, failures.RefusedError),
        (-32020, "list first", None, failures.StaleListingError),
        (-32602, "no such town", {"any": "data"}, failures.BadArgumentsError),
        (-32601, "Method not found", "text", failures.RefusedError),
    ],
)
def test_errors_of_the_protocol(code: int, message: str, data: object, kind: type[CallFailedError]) -> None:
    """The code that servers and the client share is told apart by what it says."""
    assert type(failure(MCPError(code, message, data))) is kind


def test_a_timeout_of_the_client() -> None:
    """It has a code of its own."""
    assert too_late(MCPError(-32001, "Request 'tools/call' timed out"))
    assert not too_late(MCPError(-32603, "timed out"))
