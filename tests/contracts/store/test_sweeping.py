"""Contract of the store: which wake-ups are due, and what wakes."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from orchestrator.adapters.shifted_clock import ShiftedClock
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.domain.changes import AddSubtasks, BreakOff, Defer, Fence, OpenTicket, Wait, Wake, Yield
from orchestrator.domain.run import Run
from orchestrator.domain.subtask import NewSubtask, Status
from orchestrator.domain.ticket import Ticket
from orchestrator.errors import ConflictError
from orchestrator.ports.store import Applied

Add = Callable[..., Applied]
Take = Callable[..., Fence]


def test_ready_subtasks_are_notified_by_priority(
    store: SqlStore, run: Run, new: Callable[..., NewSubtask], take: Take, clock: ShiftedClock
) -> None:
    """Highest first, then the one that waits longest; nothing that is not ready, at most as many as asked for."""
    low, high, taken = new("low"), new("high", priority=5), new("taken", priority=9)
    store.apply([AddSubtasks("r1", (low,))])
    store.apply([AddSubtasks("r1", (high, taken, new("later")))])
    take("taken")
    assert store.to_notify(10) == []
    clock.advance(2.1)
    assert store.to_notify(10) == ["r1/high", "r1/low", "r1/later"]
    assert store.to_notify(1) == ["r1/high"]


def test_a_wake_up_is_sent_again_less_and_less_often(store: SqlStore, add: Add, clock: ShiftedClock) -> None:
    """2 s after it became ready, then after 4, 8, 16, 32 and every 60 seconds; each row for itself."""
    add("a", "b")
    assert store.to_notify(10) == []
    clock.advance(2.1)
    assert store.to_notify(10) == ["r1/a", "r1/b"]
    for seconds in (4, 8, 16, 32, 60, 60):
        store.notified(["r1/a", "r1/none"])
        clock.advance(seconds - 0.5)
        assert store.to_notify(10) == ["r1/b"]
        clock.advance(0.6)
        assert store.to_notify(10) == ["r1/b", "r1/a"]
    store.notified([])


def test_a_wake_up_that_nobody_hears_is_noticed(store: SqlStore, add: Add, take: Take, clock: ShiftedClock) -> None:
    """After some 30 s of sending it again; a claim ends that."""
    add("a")
    for seconds in (2.1, 4.1, 8.1):
        assert not store.unclaimed()
        clock.advance(seconds)
        store.notified(["r1/a"])
    assert store.unclaimed()
    take("a")
    assert not store.unclaimed()


def test_what_is_ready_again_begins_its_back_off_anew(
    store: SqlStore, add: Add, take: Take, clock: ShiftedClock
) -> None:
    """The back-off belongs to one time of being ready."""
    add("a")
    store.notified(["r1/a"])
    store.notified(["r1/a"])
    store.apply([Yield("r1/a")], take("a"))
    clock.advance(2.1)
    assert store.to_notify(10) == ["r1/a"]
    store.notified(["r1/a"])
    clock.advance(4.1)
    assert store.to_notify(10) == ["r1/a"]


def test_noting_a_wake_up_never_touches_what_was_claimed_meanwhile(
    store: SqlStore, add: Add, take: Take, clock: ShiftedClock
) -> None:
    """Its back-off starts anew when it is ready again."""
    add("a")
    fence = take("a")
    store.notified(["r1/a"])
    store.apply([Yield("r1/a")], fence)
    clock.advance(2.1)
    assert store.to_notify(10) == ["r1/a"]


def test_a_subtask_wakes_when_its_time_has_come(
    store: SqlStore, add: Add, take: Take, clock: ShiftedClock, status: Callable[[str], Status]
) -> None:
    """Not before; the most overdue first; and once."""
    add("a", "b", "c")
    for key, seconds in (("a", 60), ("b", 30), ("c", 900)):
        store.apply([Wait(f"r1/{key}", clock.now() + timedelta(seconds=seconds))], take(key))
    assert store.due(10) == []
    assert store.apply([Wake("r1/a")]) == Applied()
    clock.advance(61)
    assert store.due(10) == ["r1/b", "r1/a"]
    assert store.due(1) == ["r1/b"]
    assert store.apply([Wake("r1/a"), Wake("r1/b"), Wake("r1/c"), Wake("r1/none")]).ready == ("r1/a", "r1/b")
    assert store.apply([Wake("r1/a")]) == Applied()
    assert [status(key) for key in "abc"] == [Status.READY, Status.READY, Status.WAITING]
    found = store.subtask("r1/a")
    assert found is not None
    assert found.wake_at is None


def test_who_waits_for_a_person_is_not_woken_by_time(
    store: SqlStore, add: Add, take: Take, clock: ShiftedClock, new_ticket: Callable[..., Ticket]
) -> None:
    """An open ticket keeps it waiting, and the sweeper does not see it again and again."""
    add("a")
    store.apply([OpenTicket(new_ticket("t1")), Wait("r1/a", clock.now())], take("a"))
    clock.advance(10)
    assert store.due(10) == []
    assert store.apply([Wake("r1/a")]) == Applied()


def test_who_workers_died_over_is_deferred_without_a_claim(
    store: SqlStore, add: Add, take: Take, clock: ShiftedClock
) -> None:
    """Only while it is ready, and only after so many deaths; then it waits like any other, and wakes like it."""
    add("a", "b", "c")
    for key, times in (("a", 2), ("b", 1)):
        for _ in range(times):
            store.apply([BreakOff(f"r1/{key}", "it broke", clock.now())], take(key))
            store.apply([Wake(f"r1/{key}")])
    until = clock.now() + timedelta(seconds=60)
    take("c")
    for key in ("b", "c", "none"):
        with pytest.raises(ConflictError, match="not ready, or fewer than 2 died over it"):
            store.apply([Defer(f"r1/{key}", 2, until)])
    assert store.apply([Defer("r1/a", 2, until)]) == Applied()
    with pytest.raises(ConflictError):
        store.apply([Defer("r1/a", 2, until)])
    found = store.subtask("r1/a")
    assert found is not None
    assert (found.status, found.wake_at, found.epoch, found.deaths) == (Status.WAITING, until, 2, 2)
    assert store.claim("r1/a", "w1") is None
    clock.advance(61)
    assert store.due(10) == ["r1/a"]
    assert store.apply([Wake("r1/a")]).ready == ("r1/a",)


def test_how_many_stand_where(store: SqlStore, add: Add, take: Take, finish: Add) -> None:
    """Statuses nobody has are left out."""
    add("a", "b", "c")
    finish("a")
    take("b")
    assert store.statuses("r1") == {Status.DONE: 1, Status.RUNNING: 1, Status.READY: 1}
    assert store.statuses("none") == {}


def test_a_wake_up_that_comes_before_its_subtask(
    store: SqlStore, add: Add, take: Take, clock: ShiftedClock, status: Callable[[str], Status]
) -> None:
    """Nothing is there to claim; once the commit is seen, the next wake-up is due as for any other."""
    assert store.claim("r1/a", "w1") is None
    add("a")
    assert status("a") is Status.READY
    clock.advance(2.1)
    assert store.to_notify(10) == ["r1/a"]
    assert take("a").epoch == 1
