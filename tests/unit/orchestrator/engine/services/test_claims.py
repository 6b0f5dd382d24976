"""What a turn is given with its claim: its predecessors, however many siblings it has."""

from collections.abc import Collection, Generator, Mapping

import pytest

from orchestrator.adapters.sql import temporary_store
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.domain.changes import AddSubtasks, Fence, OpenRun, Release, Settle, Spread
from orchestrator.domain.finding import Ending, Finding
from orchestrator.domain.goal import Goal
from orchestrator.domain.run import Run, TeamRules
from orchestrator.domain.subtask import Edge, NewSubtask, Status, Subtask, SubtaskSpec
from orchestrator.engine.services.claims import Claim, Claims
from orchestrator.ports.clock import SystemClock


class Counted:
    """A store of which it is counted how many single subtasks and findings are read."""

    def __init__(self, inner: SqlStore) -> None:
        self.inner = inner
        self.read = 0
        self.found: list[str] = []

    def __getattr__(self, name: str) -> object:
        return getattr(self.inner, name)

    def subtask(self, subtask_id: str) -> Subtask | None:
        """One subtask."""
        self.read += 1
        return self.inner.subtask(subtask_id)

    def findings(self, subtask_ids: Collection[str]) -> Mapping[str, Finding]:
        """What subtasks found."""
        self.found += subtask_ids
        return self.inner.findings(subtask_ids)


@pytest.fixture
def store() -> Generator[Counted]:
    """A run whose `list` has ended; `work` is mapped over it, `sum` follows."""
    with temporary_store() as inner:
        rules, goal = TeamRules(team="demo", specialists=("worker",)), Goal(text="Add up.")
        run = Run(
            id="r1",
            tenant="t",
            goal=goal,
            rules=rules,
            team_blob="sha256:0",
            trace="00-1-2-01",
            created_at=SystemClock().now(),
        )
        inner.register("w1", 3600)
        planned = (_new("list"), _new("work", "group"), _new("sum"))
        inner.apply([OpenRun(run), AddSubtasks("r1", planned, (_edge("list", "work"), _edge("work", "sum")))])
        _end(inner, "list", "work")
        yield Counted(inner)


def _new(key: str, kind: str = "specialist", parent_id: str | None = None) -> NewSubtask:
    spec = SubtaskSpec.model_validate({"kind": kind, "agent": "worker", "title": key, "instruction": f"Do {key}."})
    return NewSubtask(id=f"r1/{key}", run_id="r1", key=key, version=1, spec=spec, parent_id=parent_id)


def _edge(source: str, target: str) -> Edge:
    return Edge(from_id=f"r1/{source}", to_id=f"r1/{target}", needs="any")


def _end(store: SqlStore, key: str, *dependents: str) -> None:
    claimed = store.claim(f"r1/{key}", "w1")
    assert claimed is not None
    finding = Finding(status="done", ending=Ending.ANSWER, text=f"{key} is done.")
    releases = [Release(_edge(key, one), satisfied=True) for one in dependents]
    fence = Fence(claimed.id, "w1", claimed.epoch, claimed.step)
    store.apply([Settle(claimed.id, Status.DONE, finding), *releases], fence)


def _spread(store: SqlStore, count: int) -> None:
    claimed = store.claim("r1/work", "w1")
    assert claimed is not None
    children = tuple(_new(f"work[{n}]", parent_id="r1/work") for n in range(count))
    edges = tuple(_edge(child.key, "work") for child in children)
    fence = Fence(claimed.id, "w1", claimed.epoch, claimed.step)
    store.apply([AddSubtasks("r1", children, edges), Spread("r1/work")], fence)


def _claimed(store: Counted, key: str) -> Claim:
    claim = Claims(store).claim(f"r1/{key}", "w1")  # pyright: ignore[reportArgumentType]  # it passes everything on
    assert claim is not None
    return claim


def _told(claim: Claim) -> list[tuple[str, str]]:
    return [(one.subtask.key, one.finding.text if one.finding else "") for one in claim.before]


@pytest.mark.parametrize("siblings", [1, 300])
def test_a_child_has_the_predecessors_of_its_group(store: Counted, siblings: int) -> None:
    """Its siblings lead into the group too; they are neither told of nor read, be there one or three hundred."""
    _spread(store.inner, siblings)
    store.read = 0
    assert _told(_claimed(store, "work[0]")) == [("list", "list is done.")]
    assert store.read == 1


def test_siblings_read_what_they_are_told_once(store: Counted) -> None:
    """A finding never changes: one that all are given is read for the first of them."""
    _spread(store.inner, 40)
    claims = Claims(store)  # pyright: ignore[reportArgumentType]  # as above
    for n in range(40):
        claim = claims.claim(f"r1/work[{n}]", "w1")
        assert claim is not None
        assert _told(claim) == [("list", "list is done.")]
    assert store.found == ["r1/list"]


def test_a_group_is_told_of_what_it_is_mapped_over(store: Counted) -> None:
    """Before it is spread."""
    assert _told(_claimed(store, "work")) == [("list", "list is done.")]


def test_a_group_that_joins(store: Counted) -> None:
    """When its children have ended it is claimed again; none of them is among its predecessors, or read."""
    _spread(store.inner, 20)
    for n in range(20):
        _end(store.inner, f"work[{n}]", "work")
    store.read = 0
    assert _told(_claimed(store, "work")) == [("list", "list is done.")]
    assert store.read == 1


def test_a_dependent_is_told_of_the_group(store: Counted) -> None:
    """Not of its children."""
    _spread(store.inner, 2)
    for n in range(2):
        _end(store.inner, f"work[{n}]", "work")
    _end(store.inner, "work", "sum")
    assert _told(_claimed(store, "sum")) == [("work", "work is done.")]
