"""A small run for the stations: records are made by hand, nothing is stored."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from orchestrator.domain.goal import Goal
from orchestrator.domain.graph import Graph
from orchestrator.domain.run import Run, TeamRules
from orchestrator.domain.subtask import Edge, Kind, Status, Subtask, SubtaskSpec

NOW = datetime(2026, 3, 31, 12, 0, tzinfo=UTC)


@pytest.fixture
def run() -> Run:
    """A run in its first version."""
    return Run(
        id="r1",
        tenant="local",
        goal=Goal(text="Find out."),
        rules=TeamRules(team="test", specialists=("finder",)),
        team_blob="sha256:0",
        trace="00-1-1-01",
        created_at=NOW,
    )


class Rows:
    """Makes subtasks with rising numbers."""

    def __init__(self) -> None:
        self.made: list[Subtask] = []

    def __call__(self, key: str, status: Status = Status.DONE, kind: Kind = "specialist", **changes: Any) -> Subtask:
        spec_changes = {name: changes.pop(name) for name in ("around", "over", "item", "feedback") if name in changes}
        spec = SubtaskSpec(kind=kind, agent="finder", title=key.capitalize(), instruction="Do it.", **spec_changes)
        one = Subtask(
            id=f"r1/{key}",
            run_id="r1",
            key=key,
            version=changes.pop("version", 1),
            spec=spec,
            number=len(self.made) + 1,
            status=status,
            **changes,
        )
        self.made.append(one)
        return one

    def graph(self, edges: Sequence[tuple[str, str]]) -> Graph:
        """The graph of all that was made, with these edges by key."""
        return Graph(self.made, [Edge(from_id=f"r1/{a}", to_id=f"r1/{b}") for a, b in edges])


@pytest.fixture
def rows() -> Rows:
    """A maker of subtasks."""
    return Rows()


@pytest.fixture
def pick() -> Callable[[Sequence[object], type], list[Any]]:
    """All changes of one kind."""
    return lambda changes, kind: [change for change in changes if isinstance(change, kind)]
