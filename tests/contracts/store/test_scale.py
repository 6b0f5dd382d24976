"""Contract of the store: ten thousand children cost a hundred times a hundred."""

import time
from collections.abc import Callable

from orchestrator.adapters.sql.store import SqlStore
from orchestrator.domain.changes import AddSubtasks, Fence, Release, Settle, Spread
from orchestrator.domain.finding import Ending, Finding
from orchestrator.domain.run import Run
from orchestrator.domain.subtask import Edge, NewSubtask, Status

BATCH = 500
BATCHES = 20


def test_a_group_of_ten_thousand_stays_linear(
    store: SqlStore, run: Run, new: Callable[..., NewSubtask], take: Callable[..., Fence]
) -> None:
    """The last batches cost as much CPU as the first; ending a child among ten thousand costs a few milliseconds."""
    store.apply([AddSubtasks("r1", (new("g", "group"),))])
    group = take("g")
    costs: list[float] = []
    for batch in range(BATCHES):
        started = time.process_time()
        children = tuple(new(f"g[{batch * BATCH + n}]", parent_id="r1/g") for n in range(BATCH))
        edges = tuple(Edge(from_id=child.id, to_id="r1/g", needs="any") for child in children)
        assert len(store.apply([AddSubtasks("r1", children, edges)], group).ready) == BATCH
        costs.append(time.process_time() - started)
    assert min(costs[-5:]) < 3 * min(costs[:5])
    store.apply([Spread("r1/g")], group)
    assert store.statuses("r1") == {Status.READY: BATCH * BATCHES, Status.BLOCKED: 1}

    started = time.process_time()
    for n in range(100):
        fence = take(f"g[{n * 97}]")
        finding = Finding(status="done", ending=Ending.ANSWER)
        release = Release(Edge(from_id=fence.subtask_id, to_id="r1/g", needs="any"), satisfied=True)
        store.apply([Settle(fence.subtask_id, Status.DONE, finding), release], fence)
    assert (time.process_time() - started) / 100 < 0.02
    found = store.subtask("r1/g")
    assert found is not None
    assert found.unmet == BATCH * BATCHES - 100
