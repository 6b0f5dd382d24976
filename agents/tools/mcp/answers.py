"""What an error of the protocol means for the call that it answers."""

from typing import Any, cast

from mcp import MCPError
from mcp.types import CONNECTION_CLOSED, HEADER_MISMATCH, INTERNAL_ERROR, INVALID_PARAMS, REQUEST_TIMEOUT

from agents.tools.mcp.failures import (
    BadArgumentsError,
    BrokenError,
    CallFailedError,
    NotRunError,
    RefusedError,
    SessionEndedError,
    StaleListingError,
    UnansweredError,
)
from agents.tools.mcp.http import MISHAP

_LONGEST = 1_000
_NOTHING_CAME = ("Connection closed", "SSE stream")
"""How the client's own errors begin; servers use the same code for errors of any kind."""
_BROKEN = frozenset({INTERNAL_ERROR, 0})
"""Codes of an exception in the server; the zero is that of a widespread library."""


def failure(error: MCPError) -> CallFailedError:
    """The error as a failed call; a call that was too late is not among them, see `too_late`."""
    said = " ".join(error.message.split())[:_LONGEST]
    match _mishap(error.data):
        case "not_sent":
            found = NotRunError(f"it cannot be reached: {said}")
        case "rejected":
            found = NotRunError(said)
        case "session_ended":
            found = SessionEndedError(said)
        case "unknown":
            found = UnansweredError(said)
        case _:
            found = _by_code(error.code, said)
    return found


def _by_code(code: int, said: str) -> CallFailedError:
    if code == CONNECTION_CLOSED and said.startswith(_NOTHING_CAME):
        return UnansweredError(f"no answer came: {said}")
    if code == HEADER_MISMATCH:
        return StaleListingError(said)
    if code == INVALID_PARAMS:
        return BadArgumentsError(said)
    return BrokenError(f"the server broke down over it: {said}") if code in _BROKEN else RefusedError(said)


def too_late(error: MCPError) -> bool:
    """True when the client gave up waiting."""
    return error.code == REQUEST_TIMEOUT


def _mishap(data: object) -> str | None:
    return cast("dict[str, Any]", data).get(MISHAP) if isinstance(data, dict) else None
