"""Of a tool that has a cap a turn makes one call at a time."""

from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier, BrokenBarrierError
from typing import cast

import pytest

from agents.capped_toolbox import CappedToolbox
from agents.errors import ToolError
from agents.isolation import Isolation
from agents.toolbox import Evidence, Observed
from agents.tools.function import Tool, ToolResult, tool
from orchestrator.domain.step import Effect, StepCall
from orchestrator.ports.clock import Deadline


@pytest.fixture
def isolation() -> Generator[Isolation]:
    """Children, of which these tests start none."""
    made = Isolation()
    yield made
    made.close()


@pytest.fixture
def box(isolation: Isolation) -> Callable[..., CappedToolbox]:
    """The toolbox of an agent with one tool."""

    def make(one: Tool, *capped: str) -> CappedToolbox:
        return CappedToolbox([one], cast("Evidence", None), isolation, capped)

    return make


def call(box: CappedToolbox, n: int, deadline: Deadline | None = None) -> Observed:
    """Make a call."""
    asked = StepCall(id=f"c{n}", tool="look", arguments={})
    done = box.run(asked, f"E1.{n}", deadline or Deadline.after(60), f"k{n}")
    assert isinstance(done, Observed)
    return done


def side_by_side(box: CappedToolbox, calls: int) -> list[Observed]:
    """Make so many calls at the same time."""
    with ThreadPoolExecutor(calls) as pool:
        return list(pool.map(partial(call, box), range(calls)))


def test_one_call_at_a_time(box: Callable[..., CappedToolbox]) -> None:
    """Whoever is inside waits in vain for a second one to come in; and one that fails lets the next in."""
    together = Barrier(2)

    @tool("look", effect="read", use_when="always", not_when="never")
    def look() -> ToolResult:
        """Wait for another one who is inside."""
        try:
            together.wait(timeout=0.3)
        except BrokenBarrierError:
            raise ToolError("alone", "nobody came") from None
        return ToolResult("not alone")

    assert [one.ok for one in side_by_side(box(look, "look"), 4)] == [False] * 4


def test_a_tool_without_a_cap_is_called_side_by_side(box: Callable[..., CappedToolbox]) -> None:
    """Each of three waits inside for the others."""
    together = Barrier(3)

    @tool("look", effect="read", use_when="always", not_when="never")
    def look() -> ToolResult:
        """Wait for the others."""
        together.wait(timeout=30)
        return ToolResult("seen")

    assert [one.ok for one in side_by_side(box(look), 3)] == [True] * 3


@pytest.mark.parametrize(("effect", "made"), [("read", True), ("keyed", False)])
def test_the_time_of_a_call_that_reads_begins_with_it(
    box: Callable[..., CappedToolbox], effect: Effect, made: bool
) -> None:
    """Waiting for the calls before takes nothing of it; what has an effect keeps the deadline that was written down."""

    @tool("look", effect=effect, use_when="always", not_when="never", seconds=60)
    def look() -> ToolResult:
        """Look."""
        return ToolResult("seen")

    assert call(box(look, "look"), 1, Deadline.after(-1)).ok == made
