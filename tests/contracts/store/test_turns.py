"""Contract of the store: the fence of a turn, its steps, and the ways in which it ends."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from orchestrator.adapters.shifted_clock import ShiftedClock
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.domain.budget import Tariff
from orchestrator.domain.changes import (
    BreakOff,
    Change,
    Fence,
    OpenTicket,
    Reclaim,
    SaveStep,
    Settle,
    Spread,
    Wait,
    Wake,
    Yield,
)
from orchestrator.domain.finding import Ending, Finding
from orchestrator.domain.observation import Artifact, Observation
from orchestrator.domain.step import Step, StepCall, StepResult, StepUsage
from orchestrator.domain.subtask import Edge, Status
from orchestrator.domain.ticket import Ticket
from orchestrator.errors import ConflictError, DefectError, FencedError
from orchestrator.ports.store import Applied

Add = Callable[..., Applied]
Take = Callable[..., Fence]
DONE = Finding(status="done", ending=Ending.ANSWER, text="做完了", data={"行": [1, 2.5, None]}, evidence=("E1.1",))


def observation(ref: str, **given: Any) -> Observation:
    fields: dict[str, Any] = {"tool": "look", "ok": True, "summary": "s", "content": '{"名":1}', "size": 8, **given}
    return Observation(ref=ref, **fields)


def call(call_id: str) -> StepCall:
    return StepCall(id=call_id, tool="look", arguments={"深": {"x": [1, None]}})


def result(call_id: str) -> StepResult:
    return StepResult(call_id=call_id, ok=True, shown="看见", ref="E1.1")


def test_steps_and_observations_read_back(store: SqlStore, add: Add, take: Take) -> None:
    """In order, with everything in them; the next observation's number is known."""
    add("a")
    fence = take("a", step=1)
    assert store.next_observation("r1/a") == 1
    first = Step(n=1, thought="想", calls=(call("c1"),), results=(result("c1"),), seconds=1.25, opaque={"k": ["v"]})
    second = Step(n=2, kind="notice", text="再想想", by_person=True)
    large = observation("E1.2", content=None, blob="sha256:1", artifacts=(Artifact(name="t.md", blob="b", size=3),))
    store.apply([SaveStep("r1/a", first, (observation("E1.1"), large))], fence)
    store.apply([SaveStep("r1/a", second)], Fence("r1/a", "w1", 1, 2))
    assert store.steps("r1/a") == [first, second]
    assert store.observations("r1") == {"E1.1": observation("E1.1"), "E1.2": large}
    assert store.observations("r1", ["E1.2", "E9.9"]) == {"E1.2": large}
    assert store.observations("r1", []) == {}
    assert store.next_observation("r1/a") == 3
    found = store.subtask("r1/a")
    assert found is not None
    assert (found.step, found.worked_seconds) == (2, 1.25)


@pytest.mark.parametrize("count", [0, 1, 2, 16, 17, 40])
def test_a_step_has_as_many_observations_as_calls(store: SqlStore, add: Add, take: Take, count: int) -> None:
    """None, or more than anybody would think of; all are stored with it."""
    add("a")
    seen = {f"E1.{n}": observation(f"E1.{n}", content=f'{{"名":"{n}\\u0000"}}') for n in range(1, count + 1)}
    store.apply([SaveStep("r1/a", Step(n=1, text="看"), tuple(seen.values()))], take("a", step=1))
    assert store.steps("r1/a") == [Step(n=1, text="看")]
    assert store.observations("r1") == seen


def test_a_step_whose_observation_exists_already_is_not_stored(store: SqlStore, add: Add, take: Take) -> None:
    """Its number is taken: that is a defect, and nothing of the step is kept, not even its time."""
    add("a")
    fence = take("a", step=1)
    store.apply([SaveStep("r1/a", Step(n=1, seconds=1.0), (observation("E1.1"),))], fence)
    with pytest.raises(DefectError, match="refused a row"):
        store.apply([SaveStep("r1/a", Step(n=2, seconds=2.0), (observation("E1.1", ok=False),))], fence)
    assert store.steps("r1/a") == [Step(n=1, seconds=1.0)]
    assert store.observations("r1") == {"E1.1": observation("E1.1")}
    assert store.worked("r1") == (1, 1.0)


def test_a_step_with_open_calls_is_completed_once(store: SqlStore, add: Add, take: Take) -> None:
    """The time worked stays the sum of the steps' times; a complete step is never written again."""
    add("a")
    fence = take("a", step=1)
    begun = Step(n=1, calls=(call("c1"), call("c2")), results=(result("c1"),), seconds=2.0)
    complete = begun.model_copy(update={"results": (result("c1"), result("c2")), "seconds": 3.5})
    store.apply([SaveStep("r1/a", begun, (observation("E1.1"),))], fence)
    store.apply([SaveStep("r1/a", complete, (observation("E1.2"),))], fence)
    assert store.steps("r1/a") == [complete]
    assert store.worked("r1") == (1, 3.5)
    with pytest.raises(FencedError, match="complete already"):
        store.apply([SaveStep("r1/a", complete.model_copy(update={"seconds": 9.0}))], fence)
    assert store.worked("r1") == (1, 3.5)
    assert list(store.observations("r1")) == ["E1.1", "E1.2"]


def test_an_observation_carries_its_subtasks_number(store: SqlStore, add: Add, take: Take) -> None:
    """`E2.1` of subtask 1 would be a defect."""
    add("a")
    with pytest.raises(DefectError, match=r"E2\.1 is not of subtask 1"):
        store.apply([SaveStep("r1/a", Step(n=1), (observation("E2.1"),))], take("a", step=1))
    assert store.steps("r1/a") == []


def test_the_fence_holds_for_one_owner_and_epoch(store: SqlStore, add: Add, take: Take) -> None:
    """Whoever else writes is stopped, and nothing of its list is kept."""
    add("a", "b")
    take("a", "w1", step=1)
    wrong = [Fence("r1/a", "w2", 1, 1), Fence("r1/a", "w1", 2, 1), Fence("r1/b", "w1", 1, 1), Fence("r1/x", "w1", 1, 1)]
    for fence in wrong:
        with pytest.raises(FencedError, match="does not hold the subtask any more"):
            store.apply([SaveStep(fence.subtask_id, Step(n=1))], fence)
    assert store.steps("r1/a") == []


def test_changes_of_a_turn_need_its_fence(store: SqlStore, add: Add, take: Take) -> None:
    """Without it, or under another subtask's, they are defects."""
    add("a", "b")
    take("a")
    other = take("b")
    changes: list[Change] = [
        SaveStep("r1/a", Step(n=1)),
        Wait("r1/a"),
        Yield("r1/a"),
        Spread("r1/a"),
        Settle("r1/a", Status.DONE, DONE),
    ]
    for change in changes:
        for fence in (None, other):
            with pytest.raises(DefectError, match="needs the fence"):
                store.apply([change], fence)


def test_settling_ends_the_subtask_with_its_finding(store: SqlStore, add: Add, take: Take) -> None:
    """The finding reads back, the owner is gone, and a second end is fenced."""
    add("a", "b")
    fence = take("a")
    assert store.findings(["r1/a", "r1/b"]) == {}
    store.apply([Settle("r1/a", Status.DONE, DONE)], fence)
    found = store.subtask("r1/a")
    assert found is not None
    assert (found.status, found.owner, found.finished_at is not None) == (Status.DONE, None, True)
    assert store.findings(["r1/a", "r1/b", "r1/none"]) == {"r1/a": DONE}
    assert store.findings([]) == {}
    with pytest.raises(FencedError):
        store.apply([Settle("r1/a", Status.FAILED, DONE)], fence)


def test_a_subtask_ends_only_in_a_final_status(store: SqlStore, add: Add, take: Take) -> None:
    """Anything else is a defect."""
    add("a")
    with pytest.raises(DefectError, match="cannot end as waiting"):
        store.apply([Settle("r1/a", Status.WAITING, DONE)], take("a"))


def test_whoever_ends_must_release_all_dependents(
    store: SqlStore, add: Add, edge: Callable[..., Edge], take: Take, status: Callable[[str], Status]
) -> None:
    """A forgotten edge is a conflict: read again. Nothing is kept."""
    add("a", "b", edges=[edge("a", "b")])
    fence = take("a")
    with pytest.raises(ConflictError, match="r1/b waits for it too"):
        store.apply([Settle("r1/a", Status.DONE, DONE)], fence)
    assert status("a") is Status.RUNNING
    assert store.findings(["r1/a"]) == {}


def test_yielding_gives_the_worker_back(
    store: SqlStore, add: Add, take: Take, status: Callable[[str], Status], clock: ShiftedClock
) -> None:
    """The subtask is ready at once and its old fence is void."""
    add("a")
    fence = take("a")
    assert store.apply([Yield("r1/a")], fence).ready == ("r1/a",)
    assert status("a") is Status.READY
    clock.advance(2.1)
    assert store.to_notify(10) == ["r1/a"]
    with pytest.raises(FencedError):
        store.apply([Yield("r1/a")], fence)


def test_a_turn_that_broke_counts_like_a_death(store: SqlStore, add: Add, take: Take, clock: ShiftedClock) -> None:
    """A turn that just yields does not. What broke it off is kept until a worker dies over it."""
    add("a")
    store.apply([Yield("r1/a")], take("a"))
    again_at = clock.now() + timedelta(seconds=5)
    assert store.apply([BreakOff("r1/a", "the disk, 磁盘" + "." * 5000, again_at)], take("a")).ready == ()
    found = store.subtask("r1/a")
    assert found is not None
    assert (found.status, found.deaths, found.owner, found.wake_at) == (Status.WAITING, 1, None, again_at)
    assert found.trouble == "the disk, 磁盘" + "." * (2000 - 12)
    clock.advance(5)
    store.apply([Wake("r1/a")])
    take("a", "w2")
    store.expire("w2")
    store.apply([Reclaim("r1/a", "w2", 3)])
    found = store.subtask("r1/a")
    assert found is not None
    assert (found.deaths, found.trouble) == (2, None)


def test_waiting_for_a_time(store: SqlStore, add: Add, take: Take, clock: ShiftedClock) -> None:
    """Being put off counts as a try; just waiting does not."""
    add("a", "b")
    until = clock.now() + timedelta(seconds=30)
    assert store.apply([Wait("r1/a", until, put_off=True)], take("a")).ready == ()
    assert store.apply([Wait("r1/b", until)], take("b")).ready == ()
    for subtask_id, tries in (("r1/a", 1), ("r1/b", 0)):
        found = store.subtask(subtask_id)
        assert found is not None
        assert (found.status, found.wake_at, found.tries, found.owner) == (Status.WAITING, until, tries, None)


@pytest.mark.parametrize("tariff", [None, Tariff(input=1, output=1)], ids=["unlimited", "limited"])
def test_tries_are_counted_from_the_last_step(
    store: SqlStore, add: Add, take: Take, clock: ShiftedClock, tariff: Tariff | None
) -> None:
    """Once a step is stored, what did not answer has answered again; other writes leave the count alone."""

    def tries() -> int:
        found = store.subtask("r1/a")
        assert found is not None
        return found.tries

    def put_off(step: int) -> int:
        store.apply([Wait("r1/a", clock.now(), put_off=True)], take("a", step=step))
        store.apply([Wake("r1/a")])
        return tries()

    add("a")
    assert [put_off(0), put_off(0)] == [1, 2]
    fence = replace(take("a"), tariff=tariff)
    store.apply([SaveStep("r1/a", Step(n=1))], replace(fence, step=1))
    assert tries() == 0
    store.apply([Yield("r1/a")], replace(fence, step=1))
    assert [put_off(1), put_off(1)] == [1, 2]


def test_waiting_for_a_person_needs_an_open_ticket(
    store: SqlStore, add: Add, take: Take, status: Callable[[str], Status], new_ticket: Callable[..., Ticket]
) -> None:
    """Without one nobody would ever wake the subtask: it is ready again."""
    add("a", "b")
    assert store.apply([Wait("r1/a"), OpenTicket(new_ticket("t1", "a"))], take("a")).ready == ()
    assert store.apply([Wait("r1/b")], take("b")).ready == ("r1/b",)
    assert (status("a"), status("b")) == (Status.WAITING, Status.READY)


def test_usage_is_summed_exactly_by_model(store: SqlStore, add: Add, take: Take) -> None:
    """Notices use nothing; a cost that one call lacks is not known."""
    add("a", "b")
    used = [
        StepUsage(model="m", input_tokens=10, output_tokens=3, cost="0.1"),
        StepUsage(model="m", input_tokens=5, output_tokens=2, cost="0.000000000001"),
        StepUsage(model="free", input_tokens=1, output_tokens=1, cost="0.50"),
        StepUsage(model="free", input_tokens=1, output_tokens=1),
        StepUsage(),
    ]
    fence = take("a", step=1)
    steps = [Step(n=n, usage=usage, seconds=0.5) for n, usage in enumerate(used[:4], start=1)]
    store.apply([*(SaveStep("r1/a", one) for one in steps)], fence)
    store.apply([SaveStep("r1/b", Step(n=1, kind="notice", usage=used[4], seconds=0.25))], take("b", step=1))
    found = [(one.model, one.calls, one.input_tokens, one.output_tokens, one.cost) for one in store.usage("r1")]
    assert found == [("free", 2, 2, 2, None), ("m", 2, 15, 5, "0.100000000001")]
    assert store.worked("r1") == (4, 2.25)
    assert store.usage("none") == []
    assert store.worked("none") == (0, 0.0)
