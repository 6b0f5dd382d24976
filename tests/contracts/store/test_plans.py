"""Contract of the store: adding subtasks and edges, and replacing what has not started."""

from collections.abc import Callable
from typing import Any

import pytest

from orchestrator.adapters.sql.store import SqlStore
from orchestrator.domain.changes import (
    AddSubtasks,
    CancelRun,
    Change,
    Fence,
    OpenRun,
    Release,
    ReplaceUnstarted,
    Settle,
    Spread,
    Yield,
)
from orchestrator.domain.finding import Ending, Finding
from orchestrator.domain.run import Run
from orchestrator.domain.subtask import Edge, NewSubtask, Status, Subtask, SubtaskSpec
from orchestrator.errors import ConflictError, DefectError
from orchestrator.ports.store import Applied

Add = Callable[..., Applied]
MakeEdge = Callable[..., Edge]


def subtask(store: SqlStore, key: str) -> Subtask:
    found = store.subtask(f"r1/{key}")
    assert found is not None
    return found


def test_subtasks_are_numbered_in_order_and_read_back(store: SqlStore, run: Run) -> None:
    """Numbers go on over all additions; every field of the specification survives."""
    spec = SubtaskSpec(
        kind="composer",
        agent="c",
        title="汇总",
        instruction="写",
        inputs=("left",),
        feedback=("再来",),
        item={"行": [1]},
    )
    first = NewSubtask(id="r1/x", run_id="r1", key="x", version=1, spec=spec, priority=3)
    second = first.model_copy(update={"id": "r1/y", "key": "y", "parent_id": "r1/x"})
    assert store.apply([AddSubtasks("r1", (first,))]).ready == ("r1/x",)
    store.apply([AddSubtasks("r1", (second,))])
    assert store.subtasks("r1") == [
        Subtask(**dict(first), number=1, status=Status.READY),
        Subtask(**dict(second), number=2, status=Status.READY),
    ]
    assert store.subtask("r1/none") is None


def test_what_exists_is_left_as_it_is(store: SqlStore, add: Add, edge: MakeEdge, finish: Add) -> None:
    """Adding again takes no number, moves no status and counts no edge twice."""
    add("a", "b", edges=[edge("a", "b")])
    before = store.subtasks("r1")
    assert add("a", "b", edges=[edge("a", "b")]) == Applied()
    assert store.subtasks("r1") == before
    finish("a")
    assert add("a", "b", "c", edges=[edge("a", "b")]).ready == ("r1/c",)
    assert subtask(store, "c").number == 3
    assert subtask(store, "b").status is Status.READY


def test_only_subtasks_without_unmet_edges_are_ready(store: SqlStore, add: Add, edge: MakeEdge) -> None:
    """Others are blocked and count their edges; the same edge or subtask twice in one list counts once."""
    applied = add("c", "a", "b", "a", edges=[edge("a", "c"), edge("b", "c"), edge("a", "c")])
    assert applied.ready == ("r1/a", "r1/b")
    assert (subtask(store, "c").status, subtask(store, "c").unmet) == (Status.BLOCKED, 2)
    assert [one.key for one in store.subtasks("r1")] == ["c", "a", "b"]


def test_edges_are_read_from_both_ends(store: SqlStore, add: Add, edge: MakeEdge, finish: Add) -> None:
    """Outgoing ones until they are released, incoming ones for ever."""
    add("a", "b", "c", edges=[edge("a", "c", "any"), edge("b", "c")])
    assert store.edges_from("r1/a") == [edge("a", "c", "any")]
    finish("a")
    assert store.edges_from("r1/a") == []
    assert store.edges_into("r1/c") == [edge("a", "c", "any"), edge("b", "c")]
    assert store.edges("r1") == [edge("a", "c", "any"), edge("b", "c")]


@pytest.mark.parametrize(
    ("ended", "needs", "because"),
    [
        (Status.DONE, "done", None),
        (Status.PARTIAL, "done", None),
        (Status.FAILED, "any", None),
        (Status.FAILED, "done", "a ended failed"),
        (Status.SKIPPED, "done", "a ended skipped"),
    ],
)
def test_an_edge_from_what_has_ended_is_released_at_once(
    store: SqlStore, add: Add, edge: MakeEdge, finish: Add, ended: Status, needs: str, because: str | None
) -> None:
    """A new dependent goes on as the ending allows; so does one that was blocked before."""
    add("a", "b", "old", edges=[edge("b", "old")])
    finish("a", ended)
    assert add("new", edges=[edge("a", "new", needs), edge("a", "old", needs)]).ready == ("r1/new",)
    assert subtask(store, "new").skip_because == because
    assert (subtask(store, "old").unmet, subtask(store, "old").skip_because) == (1, because)
    assert store.edges_from("r1/a") == []
    assert finish("b").ready == ("r1/old",)


def test_an_edge_may_lead_to_what_is_still_blocked(store: SqlStore, add: Add, edge: MakeEdge, finish: Add) -> None:
    """The blocked one waits for the new predecessor as well."""
    add("a", "b", edges=[edge("a", "b")])
    add("c", edges=[edge("c", "b")])
    assert finish("a").ready == ()
    assert finish("c").ready == ("r1/b",)


def test_an_edge_to_what_has_gone_on_is_a_conflict(
    store: SqlStore, add: Add, edge: MakeEdge, finish: Add, take: Callable[..., Fence]
) -> None:
    """Ready, running and ended subtasks cannot wait for more; nothing of the list is kept."""
    add("ready", "running", "ended")
    take("running")
    finish("ended")
    for key in ("ready", "running", "ended"):
        with pytest.raises(ConflictError, match=f"r1/{key} has gone on"):
            add("new", edges=[edge("new", key)])
    assert store.subtask("r1/new") is None


def test_edges_to_and_from_nowhere_are_defects(
    store: SqlStore, run: Run, new: Callable[..., NewSubtask], new_run: Callable[..., Run], add: Add
) -> None:
    """Both ends must exist, in the same run."""
    add("a")
    store.apply([OpenRun(new_run("r2")), AddSubtasks("r2", (new("z", run_id="r2"),))])
    wrong = [
        Edge(from_id="r1/a", to_id="r1/none"),
        Edge(from_id="r1/none", to_id="r1/b"),
        Edge(from_id="r2/z", to_id="r1/b"),
    ]
    for one in wrong:
        with pytest.raises(DefectError):
            store.apply([AddSubtasks("r1", (new("b"),), (one,))])


def test_nothing_is_added_to_a_run_that_has_ended(store: SqlStore, add: Add) -> None:
    """A planner that comes too late is told."""
    add("a")
    store.apply([CancelRun("r1", "enough")])
    with pytest.raises(ConflictError, match="ended already: cancelled"):
        add("b")


def spread_group(store: SqlStore, new: Callable[..., NewSubtask], group: Fence, first: int, last: int) -> None:
    """Add the children `first` to `last` of the group `g` under its fence."""
    children = tuple(new(f"g.{n}", parent_id="r1/g") for n in range(first, last + 1))
    edges = tuple(Edge(from_id=child.id, to_id="r1/g", needs="any") for child in children)
    store.apply([AddSubtasks("r1", children, edges)], group)


def test_a_group_is_spread_in_batches_while_children_end(
    store: SqlStore,
    run: Run,
    new: Callable[..., NewSubtask],
    take: Callable[..., Fence],
    finish: Add,
    status: Callable[[str], Status],
) -> None:
    """A child that ends before the spreading does is counted; the group is ready when the last has ended."""
    store.apply([AddSubtasks("r1", (new("g", "group"),))])
    group = take("g", "w2")
    spread_group(store, new, group, 1, 2)
    finish("g.1")
    spread_group(store, new, group, 1, 3)
    assert store.apply([Spread("r1/g")], group).ready == ()
    assert status("g") is Status.BLOCKED
    assert finish("g.2").ready == ()
    assert finish("g.3").ready == ("r1/g",)
    assert [one.key for one in store.children("r1/g", 0, 10)] == ["g.1", "g.2", "g.3"]
    third = subtask(store, "g.3").number
    assert [one.key for one in store.children("r1/g", third - 1, 10)] == ["g.3"]
    assert [one.key for one in store.children("r1/g", 0, 2)] == ["g.1", "g.2"]
    assert store.edges("r1") == []


def test_a_group_whose_children_have_all_ended_is_ready_when_it_is_spread(
    store: SqlStore, run: Run, new: Callable[..., NewSubtask], take: Callable[..., Fence], finish: Add
) -> None:
    """Otherwise nobody would ever wake it; so with no children at all."""
    store.apply([AddSubtasks("r1", (new("g", "group"), new("h", "group")))])
    group = take("g", "w2")
    spread_group(store, new, group, 1, 1)
    finish("g.1")
    assert store.apply([Spread("r1/g")], group).ready == ("r1/g",)
    assert store.apply([Spread("r1/h")], take("h")).ready == ("r1/h",)


def test_nobody_else_adds_to_a_group_that_is_being_spread(
    store: SqlStore, run: Run, new: Callable[..., NewSubtask], add: Add, edge: MakeEdge, take: Callable[..., Fence]
) -> None:
    """Only the turn that holds the group may."""
    store.apply([AddSubtasks("r1", (new("g", "group"), new("other")))])
    take("g", "w2")
    other = take("other")
    with pytest.raises(ConflictError):
        store.apply([AddSubtasks("r1", (new("x"),), (edge("x", "g"),))], other)


def test_replacing_skips_only_specialists_and_groups_that_have_not_started(
    store: SqlStore,
    run: Run,
    new: Callable[..., NewSubtask],
    edge: MakeEdge,
    take: Callable[..., Fence],
    finish: Add,
    status: Callable[[str], Status],
) -> None:
    """What runs, has ended, or plays another part stays; the edges of the skipped are released."""
    kinds: dict[str, Any] = {"replan": "planner", "compose": "composer", "review": "reviewer", "group": "group"}
    keys = ["ended", "runs", "ready", "blocked", "replan", "group", "compose", "review"]
    work = ["ended", "runs", "ready", "blocked", "replan", "group"]
    edges = [edge("runs", "blocked"), edge("ready", "group"), edge("compose", "review")]
    edges += [edge(key, "compose", "any") for key in work]
    store.apply([AddSubtasks("r1", tuple(new(key, kinds.get(key, "specialist")) for key in keys), tuple(edges))])
    finish("ended")
    running = take("runs", "w2")
    planner = take("replan")
    assert store.apply([ReplaceUnstarted("r1", "replaced")], planner).ready == ()
    assert {key: status(key) for key in keys} == {
        "ended": Status.DONE,
        "runs": Status.RUNNING,
        "ready": Status.SKIPPED,
        "blocked": Status.SKIPPED,
        "replan": Status.RUNNING,
        "group": Status.SKIPPED,
        "compose": Status.BLOCKED,
        "review": Status.BLOCKED,
    }
    assert subtask(store, "ready").skip_because == "replaced"
    assert subtask(store, "compose").unmet == 2
    assert subtask(store, "compose").skip_because is None
    assert store.edges_from("r1/ready") == []
    assert running.subtask_id == "r1/runs"


def test_a_replan_is_one_list_whose_order_does_not_matter_for_the_composer(
    store: SqlStore, run: Run, new: Callable[..., NewSubtask], edge: MakeEdge, take: Callable[..., Fence]
) -> None:
    """The composer loses its old predecessors and gets new ones in one transaction: it never becomes ready."""
    store.apply([AddSubtasks("r1", (new("old"), new("compose", "composer")), (edge("old", "compose", "any"),))])
    store.apply([AddSubtasks("r1", (new("replan", "planner"),))])
    fence = take("replan")
    changes: list[Change] = [
        ReplaceUnstarted("r1", "replaced"),
        AddSubtasks("r1", (new("new"),), (edge("new", "compose", "any"),)),
    ]
    assert store.apply(changes, fence).ready == ("r1/new",)
    compose = subtask(store, "compose")
    assert (compose.status, compose.unmet) == (Status.BLOCKED, 1)


def test_a_skipped_subtask_stays_skipped_when_its_predecessor_ends(
    store: SqlStore,
    add: Add,
    edge: MakeEdge,
    finish: Add,
    take: Callable[..., Fence],
    ending: Callable[..., list[Change]],
) -> None:
    """A release of an edge to it changes nothing any more."""
    add("a", "b", edges=[edge("a", "b")])
    fence = take("a")
    store.apply([ReplaceUnstarted("r1", "replaced")])
    assert store.apply(ending("a"), fence).ready == ()
    assert subtask(store, "b").status is Status.SKIPPED


def test_a_held_failure_releases_its_dependents_later(
    store: SqlStore, add: Add, edge: MakeEdge, take: Callable[..., Fence]
) -> None:
    """`holds` keeps dependents blocked after their predecessor has failed, until a later list releases them."""
    add("a", "b", edges=[edge("a", "b")])
    finding = Finding(status="failed", ending=Ending.REFUSED, text="no")
    assert store.apply([Settle("r1/a", Status.FAILED, finding, holds=True)], take("a")).ready == ()
    assert store.edges_from("r1/a") == [edge("a", "b")]
    assert store.apply([Release(edge("a", "b"), satisfied=False, because="a failed")]).ready == ("r1/b",)
    assert subtask(store, "b").skip_because == "a failed"


def test_an_edge_is_released_once(store: SqlStore, add: Add, edge: MakeEdge) -> None:
    """In one list or in two, and an edge that does not exist changes nothing."""
    add("a", "b", "c", edges=[edge("a", "c"), edge("b", "c")])
    again = Release(edge("a", "c"), satisfied=True)
    assert store.apply([again, again]) == Applied()
    assert (
        store.apply([again, Release(edge("c", "a"), satisfied=True), Release(edge("x", "c"), satisfied=True)])
        == Applied()
    )
    assert (subtask(store, "c").status, subtask(store, "c").unmet) == (Status.BLOCKED, 1)
    assert store.apply([Release(edge("b", "c"), satisfied=True)]).ready == ("r1/c",)


def test_the_first_reason_to_skip_is_kept(store: SqlStore, add: Add, edge: MakeEdge, finish: Add) -> None:
    """A subtask whose predecessors fail one after another says why it is skipped, and is ready when all have ended."""
    add("a", "b", "c", edges=[edge("a", "c"), edge("b", "c")])
    assert finish("a", Status.FAILED).ready == ()
    assert subtask(store, "c").skip_because == "a ended failed"
    assert finish("b", Status.SKIPPED).ready == ("r1/c",)
    assert subtask(store, "c").skip_because == "a ended failed"


def test_what_was_ever_claimed_is_not_replaced(
    store: SqlStore,
    run: Run,
    new: Callable[..., NewSubtask],
    take: Callable[..., Fence],
    status: Callable[[str], Status],
) -> None:
    """A subtask that gave its worker back has started; so have a group that waits and its children."""
    store.apply([AddSubtasks("r1", (new("yielded"), new("fresh"), new("g", "group"), new("h", "group")))])
    store.apply([Yield("r1/yielded")], take("yielded"))
    group = take("g", "w2")
    spread_group(store, new, group, 1, 2)
    store.apply([Spread("r1/g")], group)
    store.apply([ReplaceUnstarted("r1", "replaced")])
    keys = ("yielded", "fresh", "g", "g.1", "g.2", "h")
    assert {key: status(key) for key in keys} == {
        "yielded": Status.READY,
        "fresh": Status.SKIPPED,
        "g": Status.BLOCKED,
        "g.1": Status.READY,
        "g.2": Status.READY,
        "h": Status.SKIPPED,
    }
