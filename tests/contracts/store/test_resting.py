"""Contract of the store: all is at rest only while no sweep of this worker would find anything."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from orchestrator.adapters.shifted_clock import ShiftedClock
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.domain.changes import CancelRun, Fence, OpenTicket, Wait, Wake
from orchestrator.domain.run import Run
from orchestrator.domain.ticket import Ticket
from orchestrator.ports.store import Applied

Add = Callable[..., Applied]
Take = Callable[..., Fence]
ME, OTHER = "w1", "w2"
A_WHILE = timedelta(seconds=1000)
"""The workers' leases are longer."""


@pytest.fixture
def waiting(
    store: SqlStore, run: Run, add: Add, take: Take, clock: ShiftedClock, new_ticket: Callable[..., Ticket]
) -> Run:
    """A run whose one subtask waits for a while, another for a person, and a third one is at work elsewhere."""
    add("a", "b", "c")
    store.apply([Wait("r1/a", clock.now() + A_WHILE)], take("a"))
    ticket = new_ticket("t1", "b", deadline=clock.now() + 2 * A_WHILE)
    store.apply([OpenTicket(ticket), Wait("r1/b")], take("b"))
    take("c", OTHER)
    return run


@pytest.mark.usefixtures("waiting")
def test_what_waits_is_at_rest(store: SqlStore, clock: ShiftedClock) -> None:
    """For a while, for a person, for the end of what another worker does; of which that one is not at rest."""
    assert store.at_rest(ME)
    clock.advance(600)
    assert store.at_rest(ME)
    assert not store.at_rest(OTHER)


@pytest.mark.usefixtures("waiting")
def test_what_is_ready_is_not(store: SqlStore, add: Add) -> None:
    """Its wake-up may be lost, now or later."""
    add("d")
    assert not store.at_rest(ME)


@pytest.mark.usefixtures("waiting")
def test_a_time_that_has_come_is_not(store: SqlStore, clock: ShiftedClock) -> None:
    """The while is over."""
    clock.advance(1001)
    assert store.due(10) == ["r1/a"]
    assert not store.at_rest(ME)


@pytest.mark.usefixtures("waiting")
def test_a_deadline_that_has_passed_is_not(store: SqlStore, clock: ShiftedClock, take: Take) -> None:
    """Nobody has answered; nothing else is due."""
    clock.advance(1001)
    store.apply([Wait("r1/a", clock.now() + 99 * A_WHILE)], _woken(store, take))
    assert store.at_rest(ME)
    clock.advance(1001)
    assert [one.id for one in store.overdue_tickets(10)] == ["t1"]
    assert not store.at_rest(ME)


@pytest.mark.usefixtures("waiting")
def test_what_a_dead_worker_holds_is_not(store: SqlStore) -> None:
    """Somebody has to take it."""
    store.expire(OTHER)
    assert [one.subtask_id for one in store.abandoned(10)] == ["r1/c"]
    assert not store.at_rest(ME)


def test_an_ended_run_is_not_until_its_root_span_is_noted(store: SqlStore, waiting: Run) -> None:
    """Whoever ended it may have died before."""
    store.apply([CancelRun(waiting.id, "enough")])
    assert not store.at_rest(ME)
    store.traced([waiting.id])
    assert store.at_rest(ME)
    assert store.at_rest(OTHER)


def _woken(store: SqlStore, take: Take) -> Fence:
    store.apply([Wake("r1/a")])
    return take("a")
