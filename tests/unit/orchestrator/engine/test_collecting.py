"""A subtask has ended: its direct dependents are released, and a failure may call for a new plan."""

from collections.abc import Callable
from typing import Any

import pytest

from orchestrator.domain.changes import AddSubtasks, ExpectPlan, Release, RevisePlan, Settle
from orchestrator.domain.finding import Ending, Finding, FindingStatus
from orchestrator.domain.run import Run
from orchestrator.domain.subtask import Edge, Status
from orchestrator.engine import collecting

Pick = Callable[..., list[Any]]
DONE = Finding(status="done", ending=Ending.ANSWER, text="found")
FAILED = Finding(status="failed", ending=Ending.REFUSED, text="no")
TO_B, TO_C = Edge(from_id="r1/a", to_id="r1/b"), Edge(from_id="r1/a", to_id="r1/c", needs="any")


@pytest.mark.parametrize(
    ("status", "satisfied"), [("done", True), ("partial", True), ("failed", False), ("skipped", False)]
)
def test_needs_decide_what_a_release_is(
    run: Run, rows: Any, pick: Pick, status: FindingStatus, satisfied: bool
) -> None:
    """`done` is satisfied by a usable finding, `any` by every end."""
    finding = Finding(status=status, ending=Ending.ANSWER, text="x")
    changes = collecting.collected(run, rows("a", status=Status.RUNNING), finding, [TO_B, TO_C])
    assert [(one.edge.to_id, one.satisfied) for one in pick(changes, Release)] == [("r1/b", satisfied), ("r1/c", True)]
    assert changes[0] == ExpectPlan("r1", 0)
    assert pick(changes, Settle)[0].status == Status(status)


def test_failure_holds_its_dependents_for_a_new_plan(run: Run, rows: Any, pick: Pick) -> None:
    """A planner that replans is added, the composer waits for it, and only `any` is released."""
    compose = rows("compose", kind="composer", status=Status.BLOCKED)
    around = collecting.Around(compose, replanning=False)
    changes = collecting.failed(run, rows("a", status=Status.RUNNING), FAILED, [TO_B, TO_C], around)
    (add,) = pick(changes, AddSubtasks)
    assert [(one.key, one.spec.kind, one.spec.around) for one in add.subtasks] == [("replan1", "planner", ("r1/a",))]
    assert add.edges == (Edge(from_id="r1/replan1", to_id="r1/compose", needs="any"),)
    assert [one.edge.to_id for one in pick(changes, Release)] == ["r1/c"]
    assert pick(changes, Settle)[0].holds
    assert pick(changes, RevisePlan) == [RevisePlan("r1", 0, 1, 1, 0)]


def test_second_failure_joins_the_planner_at_work(run: Run, rows: Any, pick: Pick) -> None:
    """While a planner replans, another failure only makes it read again."""
    compose = rows("compose", kind="composer", status=Status.BLOCKED)
    once = run.model_copy(update={"replans": 1})
    changes = collecting.failed(once, rows("a"), FAILED, [TO_B], collecting.Around(compose, replanning=True))
    assert not pick(changes, AddSubtasks)
    assert pick(changes, RevisePlan)[0].replans == 1


@pytest.mark.parametrize(
    ("replans", "finding", "parent", "wanted"),
    [
        (0, FAILED, None, True),
        (1, FAILED, None, True),
        (2, FAILED, None, False),
        (0, DONE, None, False),
        (0, Finding(status="skipped", ending=Ending.SKIPPED), None, False),
        (0, FAILED, "r1/group", False),
    ],
)
def test_when_to_plan_around(
    run: Run, rows: Any, replans: int, finding: Finding, parent: str | None, wanted: bool
) -> None:
    """A failure of a planned subtask is planned around twice; an item of a mapped one never is."""
    run = run.model_copy(update={"replans": replans})
    assert collecting.wants_replan(run, rows("a", parent_id=parent), finding) is wanted
