"""The one tool of the survey team; two counts of the first round have to happen at the same time."""

import threading

from agents.errors import ToolError
from agents.tools.function import ToolResult, tool

HOUSES = {"North": 1204, "South": 873, "Aa": 11, "Bb": 12, "Cc": 13, "Lost": 44}
_TOGETHER = threading.Barrier(2)


@tool("count", effect="read", use_when="the houses of a town are wanted", not_when="they are known already")
def count(town: str, *, wait: bool = False) -> ToolResult:
    """Count the houses of a town."""
    if town not in HOUSES:
        raise ToolError("unknown_town", f"there is no town {town}", hint=f"There are {', '.join(HOUSES)}.")
    if wait:
        _TOGETHER.wait(timeout=30)  # breaks, and fails the call, unless another turn counts at the same time
    return ToolResult(f"{town} has {HOUSES[town]} houses.", {"town": town, "houses": HOUSES[town]})
