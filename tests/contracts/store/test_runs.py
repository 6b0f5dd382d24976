"""Contract of the store: opening, finding and ending runs."""

from collections.abc import Callable
from typing import Any

import pytest

from orchestrator.adapters.shifted_clock import ShiftedClock
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.domain.changes import (
    AddSubtasks,
    CancelRun,
    Change,
    EndRun,
    ExpectPlan,
    Fence,
    OpenRun,
    OpenTicket,
    Release,
    RevisePlan,
    SaveStep,
    StopWork,
    Yield,
)
from orchestrator.domain.identity import Scope
from orchestrator.domain.run import Outcome, Run
from orchestrator.domain.step import Step
from orchestrator.domain.subtask import NewSubtask, Status
from orchestrator.domain.ticket import Ticket
from orchestrator.errors import ConflictError, DefectError, FencedError, NotFoundError
from orchestrator.ports.store import Applied

ACME = Scope(tenant="acme")


def test_a_run_reads_back_as_it_was_written(store: SqlStore, run: Run) -> None:
    """Nothing of a run is lost on its way through the database."""
    assert store.run(ACME, "r1") == run


def test_a_run_is_opened_once(store: SqlStore, run: Run) -> None:
    """The same id cannot be opened again."""
    with pytest.raises(ConflictError, match="exists already"):
        store.apply([OpenRun(run)])


def test_a_beginning_of_an_id_finds_a_run_if_only_one_has_it(store: SqlStore, new_run: Callable[..., Run]) -> None:
    """`r7` means `r7ab` unless two runs begin like that; the whole id always wins."""
    store.apply([OpenRun(new_run("r7ab")), OpenRun(new_run("r8")), OpenRun(new_run("r8c"))])
    assert store.run(ACME, "r7").id == "r7ab"
    assert store.run(ACME, "r8").id == "r8"
    with pytest.raises(NotFoundError, match="several runs begin with `r`"):
        store.run(ACME, "r")
    for unknown in ("r9", "", "r7abc", "%", "R7"):
        with pytest.raises(NotFoundError, match="there is no run"):
            store.run(ACME, unknown)


def test_another_tenant_sees_nothing(store: SqlStore, run: Run) -> None:
    """A run stays within its scope, whether by its id, its beginning or in a list."""
    other = Scope(tenant="other")
    for asked in ("r1", "r"):
        with pytest.raises(NotFoundError):
            store.run(other, asked)
    assert store.runs(other, 10) == []
    assert [one.id for one in store.runs(ACME, 10)] == ["r1"]


def test_runs_come_newest_first(store: SqlStore, new_run: Callable[..., Run], clock: ShiftedClock) -> None:
    """The limit cuts the oldest off."""
    for run_id in ("ra", "rb", "rc"):
        store.apply([OpenRun(new_run(run_id))])
        clock.advance(1)
    assert [one.id for one in store.runs(ACME, 2)] == ["rc", "rb"]


def test_ended_runs_are_untraced_until_it_is_noted(
    store: SqlStore, run: Run, new_run: Callable[..., Run], clock: ShiftedClock
) -> None:
    """Those that ended at least so long ago, the oldest end first; a run that goes on is none of them."""
    for run_id in ("ra", "rb", "rc"):
        store.apply([OpenRun(new_run(run_id))])
    for run_id in ("rc", "ra"):
        store.apply([CancelRun(run_id, "enough")])
        clock.advance(10)
    assert [one.id for one in store.untraced(0, 10)] == ["rc", "ra"]
    assert [one.id for one in store.untraced(10, 10)] == ["rc", "ra"]
    assert [one.id for one in store.untraced(15, 10)] == ["rc"]
    assert [one.id for one in store.untraced(0, 1)] == ["rc"]
    store.traced(["rc", "unknown"])
    assert [one.id for one in store.untraced(0, 10)] == ["ra"]
    store.traced([])
    assert store.untraced(0, 10) == [store.run(ACME, "ra")]


def test_the_run_of_a_subtask(store: SqlStore, run: Run, add: Callable[..., Applied]) -> None:
    """It is found by the subtask's id; an unknown subtask has none."""
    add("a")
    assert store.run_of("r1/a").id == "r1"
    with pytest.raises(NotFoundError):
        store.run_of("r1/none")


def test_the_plan_is_compare_and_set(store: SqlStore, run: Run) -> None:
    """The revision that was read must still be there; each revision goes up by one."""
    store.apply([RevisePlan("r1", 0, version=2, replans=1, reviews=0)])
    now = store.run(ACME, "r1")
    assert (now.revision, now.version, now.replans, now.reviews) == (1, 2, 1, 0)
    with pytest.raises(ConflictError, match="revision 1, not 0"):
        store.apply([RevisePlan("r1", 0, version=3, replans=2, reviews=0)])
    with pytest.raises(ConflictError):
        store.apply([ExpectPlan("r1", 0)])
    store.apply([ExpectPlan("r1", 1)])
    assert store.run(ACME, "r1") == now


def test_an_unknown_run_is_said(store: SqlStore) -> None:
    """Changes of a run that does not exist are refused in one line."""
    changes: list[Change] = [
        ExpectPlan("none", 0),
        RevisePlan("none", 0, 1, 0, 0),
        CancelRun("none", "x"),
        EndRun("none", Outcome(status="done", reason="x")),
    ]
    for change in changes:
        with pytest.raises(NotFoundError, match="none: there is no such run"):
            store.apply([change])


def test_ending_a_run_cancels_what_is_left(
    store: SqlStore,
    run: Run,
    add: Callable[..., Applied],
    finish: Callable[..., Applied],
    take: Callable[..., Fence],
    edge: Callable[..., Any],
    status: Callable[[str], Status],
    ending: Callable[..., list[Change]],
    new_ticket: Callable[..., Ticket],
) -> None:
    """The outcome is stored, open tickets and unfinished subtasks are cancelled, ended ones stay."""
    add("done", "last", "ready", "running", "blocked", edges=[edge("running", "blocked")])
    finish("done")
    take("running", "w2")
    store.apply([OpenTicket(new_ticket("t1", "ready"))])
    outcome = Outcome(status="done", reason="ok", answer_id="r1/last", evidence=("E1.1",))
    applied = store.apply([EndRun("r1", outcome), *ending("last")], take("last"))
    assert applied.ready == ()
    ended = store.run(ACME, "r1")
    assert (ended.status, ended.outcome) == ("done", outcome)
    assert ended.finished_at is not None
    kept = {key: status(key) for key in ("done", "last", "ready", "running", "blocked")}
    assert kept == {
        "done": Status.DONE,
        "last": Status.DONE,
        "ready": Status.CANCELLED,
        "running": Status.CANCELLED,
        "blocked": Status.CANCELLED,
    }
    assert store.ticket(ACME, "t1").status == "cancelled"


def test_a_run_ends_once(store: SqlStore, run: Run) -> None:
    """Whoever ends or cancels it later is told; `running` is no end."""
    store.apply([EndRun("r1", Outcome(status="failed", reason="no model"))])
    for change in (EndRun("r1", Outcome(status="done", reason="x")), CancelRun("r1", "enough")):
        with pytest.raises(ConflictError, match="ended already: failed"):
            store.apply([change])
    assert store.run(ACME, "r1").status == "failed"


def test_a_run_cannot_end_as_running(store: SqlStore, run: Run) -> None:
    """That would be a defect of ours."""
    with pytest.raises(DefectError):
        store.apply([EndRun("r1", Outcome(status="running", reason="x"))])


def test_cancelling_stops_everything_that_has_not_ended(
    store: SqlStore,
    add: Callable[..., Applied],
    finish: Callable[..., Applied],
    take: Callable[..., Fence],
    status: Callable[[str], Status],
    new_ticket: Callable[..., Ticket],
) -> None:
    """The worker of a running subtask is fenced off, nothing can be claimed, tickets close."""
    add("a", "b", "c")
    finish("a")
    fence = take("b", step=1)
    store.apply([OpenTicket(new_ticket("t1", "c"))])
    store.apply([CancelRun("r1", "changed my mind")])
    assert [status(key) for key in "abc"] == [Status.DONE, Status.CANCELLED, Status.CANCELLED]
    cancelled = store.run(ACME, "r1")
    assert cancelled.outcome == Outcome(status="cancelled", reason="changed my mind")
    assert store.ticket(ACME, "t1").status == "cancelled"
    with pytest.raises(FencedError):
        store.apply([SaveStep("r1/b", Step(n=1))], fence)
    assert store.claim("r1/c", "w1") is None
    assert store.to_notify(10) == []
    assert store.steps("r1/b") == []


def test_stopping_the_work_leaves_the_run(
    store: SqlStore,
    add: Callable[..., Applied],
    new: Callable[..., NewSubtask],
    finish: Callable[..., Applied],
    take: Callable[..., Fence],
    status: Callable[[str], Status],
    new_ticket: Callable[..., Ticket],
) -> None:
    """What has not ended is cancelled and fenced off as with the run itself, but what is added then can be claimed."""
    add("a", "b", "c")
    finish("a")
    fence = take("b", step=1)
    store.apply([OpenTicket(new_ticket("t1", "c"))])
    applied = store.apply([StopWork("r1"), AddSubtasks("r1", (new("undo", "undo"),))])
    assert applied.ready == ("r1/undo",)
    assert [status(key) for key in "abc"] == [Status.DONE, Status.CANCELLED, Status.CANCELLED]
    assert (store.run(ACME, "r1").status, store.ticket(ACME, "t1").status) == ("running", "cancelled")
    with pytest.raises(FencedError):
        store.apply([SaveStep("r1/b", Step(n=1))], fence)
    assert store.claim("r1/c", "w1") is None
    assert store.claim("r1/undo", "w1") is not None
    store.apply([CancelRun("r1", "enough")])
    with pytest.raises(ConflictError, match="ended already"):
        store.apply([StopWork("r1")])


def test_a_list_of_changes_is_applied_whole_or_not_at_all(store: SqlStore, new_run: Callable[..., Run]) -> None:
    """The second change fails, so the first has not happened either."""
    with pytest.raises(NotFoundError):
        store.apply([OpenRun(new_run("r5")), CancelRun("none", "x")])
    with pytest.raises(NotFoundError):
        store.run(ACME, "r5")


def test_no_changes_are_no_transaction(store: SqlStore) -> None:
    """An empty list does nothing."""
    assert store.apply([]) == Applied()


def test_nothing_is_ready_in_a_run_that_ends(
    store: SqlStore, add: Callable[..., Applied], take: Callable[..., Fence], edge: Callable[..., Any]
) -> None:
    """Whatever the same list would have made ready is cancelled, and no wake-up goes out for it."""
    add("a", "b", edges=[edge("a", "b")])
    fence = take("a")
    ended = EndRun("r1", Outcome(status="failed", reason="x"))
    assert store.apply([Yield("r1/a"), Release(edge("a", "b"), satisfied=True), ended], fence) == Applied()
    assert store.statuses("r1") == {Status.CANCELLED: 2}
