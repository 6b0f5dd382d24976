"""The verdict and the code's own check decide: pass, send back, or put it to a person."""

from collections.abc import Callable
from typing import Any

import pytest

from orchestrator.domain.changes import AddSubtasks, EndRun, RevisePlan
from orchestrator.domain.run import Run
from orchestrator.domain.subtask import Status
from orchestrator.domain.verdict import SentBack, Verdict
from orchestrator.engine import reviewing

Pick = Callable[..., list[Any]]
PASS = Verdict(verdict="pass", note="good")


@pytest.fixture
def graph(rows: Any) -> Any:
    """a → b → compose → review, and c beside them."""
    rows("plan", kind="planner")
    for key in ("a", "b", "c"):
        rows(key)
    rows("compose", kind="composer")
    rows("review", kind="reviewer", status=Status.RUNNING)
    return rows.graph([("a", "b"), ("a", "compose"), ("b", "compose"), ("c", "compose"), ("compose", "review")])


def reviewed(rows: Any, verdict: Verdict, *faults: str, limited: bool = False) -> reviewing.Reviewed:
    """What is known of the composed answer."""
    return reviewing.Reviewed(rows.made[4], verdict, faults, ("sk-123",), limited)


def test_pass_ends_the_run(run: Run, rows: Any, graph: Any, pick: Pick) -> None:
    """The composed finding is the answer; what must not leave is noted."""
    (end,) = pick(reviewing.passed(run, reviewed(rows, PASS)), EndRun)
    assert (end.outcome.status, end.outcome.answer_id, end.outcome.withheld) == ("done", "r1/compose", ("sk-123",))


def test_a_run_that_hit_its_limit_says_so(run: Run, rows: Any, graph: Any, pick: Pick) -> None:
    """An answer made of what a limit left is no plain success."""
    (end,) = pick(reviewing.passed(run, reviewed(rows, PASS, limited=True)), EndRun)
    assert end.outcome.status == "limit"


def test_code_objects_even_when_the_reviewer_passes(rows: Any, graph: Any) -> None:
    """A figure without a source stands against the answer, whatever the reviewer says."""
    against = reviewing.objections(reviewed(rows, PASS, "line 3: 12 has no source"))
    assert against == (SentBack(subtask="compose", reason="line 3: 12 has no source"),)


def test_sending_back_copies_all_that_hangs_on_it(run: Run, rows: Any, graph: Any, pick: Pick) -> None:
    """Successors carry the reasons; c stays; edges lead from what stayed to the copies."""
    changes = reviewing.sent_back(run, graph, [SentBack(subtask="b", reason="wrong sum")])
    (add,) = pick(changes, AddSubtasks)
    assert [(one.key, one.spec.feedback) for one in add.subtasks] == [
        ("b@2", ("wrong sum",)),
        ("compose@2", ()),
        ("review@2", ()),
    ]
    assert {(e.from_id, e.to_id) for e in add.edges} == {
        ("r1/a", "r1/b@2"),
        ("r1/a", "r1/compose@2"),
        ("r1/b@2", "r1/compose@2"),
        ("r1/c", "r1/compose@2"),
        ("r1/compose@2", "r1/review@2"),
    }
    assert pick(changes, RevisePlan) == [RevisePlan("r1", 0, 2, 0, 1)]


@pytest.mark.parametrize("named", ["compose", "composer", "nobody"])
def test_the_composer_alone_can_be_sent_back(run: Run, rows: Any, graph: Any, pick: Pick, named: str) -> None:
    """A name that is no subtask stands for the answer."""
    (add,) = pick(reviewing.sent_back(run, graph, [SentBack(subtask=named, reason="unclear")]), AddSubtasks)
    assert [one.key for one in add.subtasks] == ["compose@2", "review@2"]


def test_two_rounds_at_most(run: Run) -> None:
    """After two rounds a person decides."""
    allowed = [reviewing.may_send_back(run.model_copy(update={"reviews": n})) for n in range(4)]
    assert allowed == [True, True, False, False]


def test_sending_back_without_names_sends_back_the_answer(rows: Any, graph: Any) -> None:
    """A reviewer that is against it but names nothing means the answer."""
    against = reviewing.objections(reviewed(rows, Verdict(verdict="send_back", note="thin")))
    assert against == (SentBack(subtask="compose", reason="thin"),)
