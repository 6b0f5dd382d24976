"""A run to work on, and short words for what turns do to it."""

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest

from orchestrator.adapters.shifted_clock import ShiftedClock
from orchestrator.adapters.sql import open_store
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.domain.changes import AddSubtasks, Change, Fence, OpenRun, Release, Settle
from orchestrator.domain.finding import Ending, Finding
from orchestrator.domain.goal import Goal
from orchestrator.domain.run import Run, TeamRules
from orchestrator.domain.subtask import USABLE, Edge, NewSubtask, Status, SubtaskSpec
from orchestrator.domain.ticket import Ticket
from orchestrator.errors import RemitError
from orchestrator.ports.store import Applied

NewRun = Callable[..., Run]
New = Callable[..., NewSubtask]


@pytest.fixture
def new_run(clock: ShiftedClock) -> NewRun:
    """Make a run that is not stored yet."""

    def make(run_id: str = "r1", tenant: str = "acme", **given: Any) -> Run:
        rules = TeamRules(team="demo", specialists=("worker",))
        goal = Goal(text="对账：三月份", parameters={"month": "2026-03"})
        fields: dict[str, Any] = {"team_blob": "sha256:0", "trace": "00-1-2-01", "created_at": clock.now(), **given}
        return Run(id=run_id, tenant=tenant, goal=goal, rules=rules, **fields)

    return make


@pytest.fixture
def new() -> New:
    """Make a subtask of run `r1` that is not stored yet."""

    def make(key: str, kind: Any = "specialist", run_id: str = "r1", **given: Any) -> NewSubtask:
        spec = SubtaskSpec(kind=kind, agent="worker", title=key, instruction=f"Do {key}.")
        fields: dict[str, Any] = {"version": 1, **given}
        return NewSubtask(id=f"{run_id}/{key}", run_id=run_id, key=key, spec=spec, **fields)

    return make


@pytest.fixture
def run(store: SqlStore, new_run: NewRun) -> Run:
    """The run `r1` of tenant `acme`, stored; two workers have long leases."""
    opened = new_run()
    store.apply([OpenRun(opened)])
    for worker in ("w1", "w2"):
        store.register(worker, 3600)
    return opened


@pytest.fixture
def edge() -> Callable[..., Edge]:
    """Make an edge between two keys of run `r1`."""

    def make(source: str, target: str, needs: Any = "done") -> Edge:
        return Edge(from_id=f"r1/{source}", to_id=f"r1/{target}", needs=needs)

    return make


@pytest.fixture
def add(store: SqlStore, run: Run, new: New) -> Callable[..., Applied]:
    """Store subtasks of `r1` by key, and edges."""

    def make(*keys: str, edges: Sequence[Edge] = ()) -> Applied:
        return store.apply([AddSubtasks(run.id, tuple(new(key) for key in keys), tuple(edges))])

    return make


@pytest.fixture
def take(store: SqlStore) -> Callable[..., Fence]:
    """Claim a subtask of `r1` by key and return the fence of its turn."""

    def make(key: str, worker: str = "w1", step: int = 0) -> Fence:
        claimed = store.claim(f"r1/{key}", worker)
        assert claimed is not None, f"{key} could not be claimed"
        return Fence(claimed.id, worker, claimed.epoch, step)

    return make


@pytest.fixture
def ending(store: SqlStore) -> Callable[..., list[Change]]:
    """The changes that end a subtask and release its dependents as they stand in the store now."""

    def make(key: str, status: Status = Status.DONE) -> list[Change]:
        subtask_id = f"r1/{key}"
        recorded: Any = status.value if status is not Status.CANCELLED else "skipped"
        finding = Finding(status=recorded, ending=Ending.ANSWER, text=f"{key} ended")
        releases = [
            Release(one, one.needs == "any" or status in USABLE, f"{key} ended {status}")
            for one in store.edges_from(subtask_id)
        ]
        return [Settle(subtask_id, status, finding), *releases]

    return make


@pytest.fixture
def finish(store: SqlStore, take: Callable[..., Fence], ending: Callable[..., list[Change]]) -> Callable[..., Applied]:
    """Claim a subtask of `r1`, end it and release its dependents."""

    def make(key: str, status: Status = Status.DONE) -> Applied:
        fence = take(key)
        return store.apply(ending(key, status), fence)

    return make


@pytest.fixture
def status(store: SqlStore) -> Callable[[str], Status]:
    """Where a subtask of `r1` stands."""

    def read(key: str) -> Status:
        found = store.subtask(f"r1/{key}")
        assert found is not None
        return found.status

    return read


@pytest.fixture
def new_ticket(clock: ShiftedClock) -> Callable[..., Ticket]:
    """Make a ticket of a subtask of `r1` that is not stored yet."""

    def make(ticket_id: str, key: str = "a", **given: Any) -> Ticket:
        fields: dict[str, Any] = {"question": "哪一笔是对的？", "step": 1, "opened_at": clock.now(), **given}
        return Ticket(id=ticket_id, run_id="r1", subtask_id=f"r1/{key}", call_id="c1", **fields)

    return make


@pytest.fixture
def other(store_url: str, clock: ShiftedClock, store: SqlStore) -> Generator[SqlStore]:
    """A second store on the same database, as another process would have it."""
    opened = open_store(store_url, clock)
    yield opened
    opened.close()


@pytest.fixture
def together() -> Callable[..., list[Any]]:
    """Run functions at the same moment, each in a thread; their results, or what they raised."""

    def run(*functions: Callable[[], Any]) -> list[Any]:
        barrier = Barrier(len(functions))

        def one(function: Callable[[], Any]) -> Any:
            barrier.wait()
            try:
                return function()
            except RemitError as error:
                return error

        with ThreadPoolExecutor(len(functions)) as pool:
            return list(pool.map(one, functions))

    return run
