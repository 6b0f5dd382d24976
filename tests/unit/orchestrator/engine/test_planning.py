"""An accepted plan becomes subtasks and edges; a replan replaces only what has not started."""

from collections.abc import Callable
from typing import Any

from orchestrator.domain.changes import AddSubtasks, Release, ReplaceUnstarted, RevisePlan
from orchestrator.domain.plan import After, Over, Plan, PlannedSubtask
from orchestrator.domain.run import Run
from orchestrator.domain.subtask import Edge, Status
from orchestrator.engine import planning

Pick = Callable[..., list[Any]]


def planned(key: str, *after: str, over: Over | None = None) -> PlannedSubtask:
    """A subtask of a plan that comes after others."""
    return PlannedSubtask(
        key=key,
        agent="finder",
        title=key,
        instruction="Do it.",
        after=tuple(After(subtask=one) for one in after),
        over=over,
    )


def ends(add: AddSubtasks) -> set[tuple[str, str, str]]:
    """Edges by key, with what they need."""
    return {(e.from_id.split("/")[1], e.to_id.split("/")[1], e.needs) for e in add.edges}


def test_first_plan_ends_in_composing_and_reviewing(run: Run, rows: Any, pick: Pick) -> None:
    """Every planned subtask leads to the composer, which needs only that they ended; the reviewer needs the answer."""
    plan = Plan(subtasks=(planned("a"), planned("b", "a")))
    changes = planning.first(run, rows("plan", kind="planner"), plan)
    (add,) = pick(changes, AddSubtasks)
    assert [(one.key, one.spec.kind) for one in add.subtasks] == [
        ("a", "specialist"),
        ("b", "specialist"),
        ("compose", "composer"),
        ("review", "reviewer"),
    ]
    assert ends(add) == {
        ("a", "b", "done"),
        ("a", "compose", "any"),
        ("b", "compose", "any"),
        ("compose", "review", "done"),
    }
    assert pick(changes, RevisePlan) == [RevisePlan("r1", 0, 1, 0, 0)]


def test_mapped_subtask_is_a_group(run: Run, rows: Any, pick: Pick) -> None:
    """A subtask with `over` becomes a group row; its children come when it is worked on."""
    plan = Plan(subtasks=(planned("a"), planned("each", "a", over=Over(subtask="a", list="items"))))
    (add,) = pick(planning.first(run, rows("plan", kind="planner"), plan), AddSubtasks)
    assert [one.spec.kind for one in add.subtasks] == ["specialist", "group", "composer", "reviewer"]


def test_direct_answer_goes_to_the_reviewer(run: Run, rows: Any, pick: Pick) -> None:
    """A planner that answers at once is reviewed like a composer."""
    planner = rows("plan", kind="planner", status=Status.RUNNING)
    (add,) = pick(planning.first(run, planner, Plan(answer="42")), AddSubtasks)
    assert [one.key for one in add.subtasks] == ["review"]
    assert ends(add) == {("plan", "review", "done")}


def test_replan_takes_new_ids_and_keeps_what_started(run: Run, rows: Any, pick: Pick) -> None:
    """A key that was used gets the mark of the version; what is done already can be built on; the composer waits."""
    rows("plan", kind="planner")
    rows("a")
    rows("b", status=Status.FAILED)
    rows("c", status=Status.BLOCKED)
    rows("compose", kind="composer", status=Status.BLOCKED)
    replanner = rows("replan1", kind="planner", status=Status.RUNNING, around=("r1/b",))
    graph = rows.graph([("a", "b"), ("b", "c"), ("b", "compose"), ("c", "compose")])
    held = [Edge(from_id="r1/b", to_id="r1/c")]
    plan = Plan(subtasks=(planned("b2", "a"), planned("c", "b2")))
    changes = planning.again(run, replanner, plan, graph, held)
    (add,) = pick(changes, AddSubtasks)
    assert [one.key for one in add.subtasks] == ["b2", "c@2"]
    assert ends(add) == {
        ("a", "b2", "done"),
        ("b2", "c@2", "done"),
        ("b2", "compose", "any"),
        ("c@2", "compose", "any"),
    }
    assert pick(changes, ReplaceUnstarted)
    assert pick(changes, RevisePlan)[0].version == 2
    released = {(one.edge.from_id, one.edge.to_id, one.satisfied) for one in pick(changes, Release)}
    assert released == {("r1/b", "r1/c", False), ("r1/replan1", "r1/compose", True)}


def test_replan_that_gives_up_releases_what_was_held(run: Run, rows: Any, pick: Pick) -> None:
    """Without another way, the dependents of the failed subtask are skipped and the composer goes on."""
    rows("b", status=Status.FAILED)
    rows("c", status=Status.BLOCKED)
    rows("compose", kind="composer", status=Status.BLOCKED)
    replanner = rows("replan1", kind="planner", status=Status.RUNNING, around=("r1/b",))
    graph = rows.graph([("b", "c"), ("c", "compose")])
    changes = planning.again(run, replanner, Plan(answer="no way"), graph, [Edge(from_id="r1/b", to_id="r1/c")])
    assert not pick(changes, AddSubtasks)
    assert not pick(changes, ReplaceUnstarted)
    assert [(one.edge.to_id, one.satisfied) for one in pick(changes, Release)] == [
        ("r1/c", False),
        ("r1/compose", True),
    ]
