"""Whatever the order in which subtasks are added, end and are released, each ends up as a simple model says."""

from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator.adapters.sql.store import SqlStore
from orchestrator.domain.changes import AddSubtasks, Change, Fence, OpenRun, Release, ReplaceUnstarted, Settle
from orchestrator.domain.finding import Ending, Finding
from orchestrator.domain.goal import Goal
from orchestrator.domain.identity import new_id
from orchestrator.domain.plan import Needs
from orchestrator.domain.run import Run, TeamRules
from orchestrator.domain.subtask import FINAL, USABLE, Edge, NewSubtask, Status, SubtaskSpec, subtask_id
from orchestrator.errors import ConflictError
from orchestrator.ports.clock import SystemClock

ENDS: tuple[Status, ...] = (Status.DONE, Status.PARTIAL, Status.FAILED, Status.SKIPPED)
MOST = 12

numbers = st.integers(min_value=0, max_value=MOST - 1)
additions = st.tuples(st.just("add"), numbers, st.dictionaries(numbers, st.sampled_from(["done", "any"]), max_size=4))
endings = st.tuples(st.just("end"), numbers, st.sampled_from(ENDS))
replacements = st.tuples(st.just("replace"), st.just(0), st.none())
happenings = st.lists(st.one_of(additions, additions, endings, endings, endings, replacements), max_size=40)


@dataclass
class Model:
    """What should be: statuses by number, edges with what they need, and who is to be skipped."""

    status: dict[int, Status] = field(default_factory=dict[int, Status])
    edges: dict[tuple[int, int], Needs] = field(default_factory=dict[tuple[int, int], Needs])
    skipped: set[int] = field(default_factory=set[int])

    def add(self, number: int, after: dict[int, Needs]) -> bool:
        """Add a subtask and edges to it; False when it has gone on and cannot wait for more."""
        known: dict[int, Needs] = {
            source: needs for source, needs in after.items() if source in self.status and source < number
        }
        fresh: dict[int, Needs] = {
            source: needs for source, needs in known.items() if (source, number) not in self.edges
        }
        if number in self.status and fresh and self.status[number] is not Status.BLOCKED:
            return False
        self.status.setdefault(number, Status.BLOCKED)
        self.edges |= {(source, number): needs for source, needs in fresh.items()}
        for source, needs in fresh.items():
            self._pass(source, number, needs)
        self._start(number)
        return True

    def end(self, number: int, status: Status) -> None:
        """A ready subtask is worked on and ends."""
        self.status[number] = status
        self._release(number)

    def replace(self) -> None:
        """Everything that has not started is skipped."""
        unstarted = [number for number, status in self.status.items() if status in {Status.BLOCKED, Status.READY}]
        for number in unstarted:
            self.status[number] = Status.SKIPPED
        for number in unstarted:
            self._release(number)

    def _release(self, source: int) -> None:
        for (start, target), needs in self.edges.items():
            if start == source and self.status[target] not in FINAL:
                self._pass(source, target, needs)
                self._start(target)

    def _pass(self, source: int, target: int, needs: Needs) -> None:
        if self.status[source] in FINAL and needs == "done" and self.status[source] not in USABLE:
            self.skipped.add(target)

    def _start(self, number: int) -> None:
        sources = [source for source, target in self.edges if target == number]
        if self.status[number] is Status.BLOCKED and all(self.status[source] in FINAL for source in sources):
            self.status[number] = Status.READY


class Play:
    """The same happenings in a real store."""

    def __init__(self, store: SqlStore, run_id: str) -> None:
        self._store = store
        self._run_id = run_id
        run = Run(
            id=run_id,
            tenant="t",
            goal=Goal(text="x"),
            rules=TeamRules(team="demo", specialists=("worker",)),
            team_blob="b",
            trace="t",
            created_at=SystemClock().now(),
        )
        store.apply([OpenRun(run)])

    def add(self, number: int, after: dict[int, Needs], known: set[int]) -> bool:
        spec = SubtaskSpec(kind="specialist", agent="worker", title="x", instruction="x")
        new = NewSubtask(id=self._id(number), run_id=self._run_id, key=f"k{number}", version=1, spec=spec)
        edges = tuple(
            Edge(from_id=self._id(source), to_id=self._id(number), needs=needs)
            for source, needs in after.items()
            if source in known and source < number
        )
        try:
            self._store.apply([AddSubtasks(self._run_id, (new,), edges)])
        except ConflictError:
            return False
        return True

    def end(self, number: int, status: Status) -> bool:
        claimed = self._store.claim(self._id(number), "w")
        if claimed is None:
            return False
        finding = Finding.model_validate({"status": status.value, "ending": Ending.ANSWER})
        releases: list[Change] = [
            Release(edge, edge.needs == "any" or status in USABLE, "because")
            for edge in self._store.edges_from(claimed.id)
        ]
        self._store.apply([*releases, Settle(claimed.id, status, finding)], Fence(claimed.id, "w", claimed.epoch, 0))
        return True

    def replace(self) -> None:
        self._store.apply([ReplaceUnstarted(self._run_id, "replaced")])

    def state(self) -> tuple[dict[int, Status], dict[int, int], set[int]]:
        """Statuses, unmet edges of what is alive, and who is to be skipped."""
        rows = {int(one.key[1:]): one for one in self._store.subtasks(self._run_id)}
        alive = {number: row for number, row in rows.items() if row.status not in FINAL}
        return (
            {number: row.status for number, row in rows.items()},
            {number: row.unmet for number, row in alive.items()},
            {number for number, row in alive.items() if row.skip_because},
        )

    def _id(self, number: int) -> str:
        return subtask_id(self._run_id, f"k{number}")


def check(play: Play, model: Model) -> None:
    """The store is where the model is."""
    statuses, unmet, skipped = play.state()
    assert statuses == model.status
    alive = {number for number, status in model.status.items() if status not in FINAL}
    waits = {
        number: sum(1 for source, target in model.edges if target == number and model.status[source] not in FINAL)
        for number in alive
    }
    assert unmet == waits
    assert skipped == model.skipped & alive
    assert all((statuses[number] is Status.READY) == (waits[number] == 0) for number in alive)


@pytest.fixture
def working(store: SqlStore) -> SqlStore:
    """A store with a worker whose lease is long."""
    store.register("w", 3600)
    return store


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(happened=happenings)
def test_a_graph_ends_as_its_model(working: SqlStore, happened: list[tuple[str, int, object]]) -> None:
    """Random additions, ends and replacements on a random graph; each example is a run of its own."""
    play, model = Play(working, new_id("r")), Model()
    for kind, number, what in happened:
        match what:
            case dict():
                assert play.add(number, what, set(model.status)) == model.add(number, what)
            case Status():
                could = model.status.get(number) is Status.READY
                assert play.end(number, what) == could
                if could:
                    model.end(number, what)
            case _:
                assert kind == "replace"
                play.replace()
                model.replace()
        check(play, model)
