"""Contract of the store: tickets are opened, found and closed once."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from orchestrator.adapters.shifted_clock import ShiftedClock
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.domain.changes import CancelRun, CloseTicket, Fence, OpenTicket, Wait
from orchestrator.domain.identity import SWEEPER, Actor, Scope
from orchestrator.domain.subtask import Status
from orchestrator.domain.ticket import Choice, Ticket
from orchestrator.errors import ConflictError, DefectError, NotFoundError
from orchestrator.ports.store import Applied

ACME = Scope(tenant="acme")
ANNA = Actor(id="anna", roles=("approver",), channel="web", proof="session 7")
Add = Callable[..., Applied]
Take = Callable[..., Fence]
NewTicket = Callable[..., Ticket]


def close(ticket_id: str, answer: str | None = "yes", actor: Actor = ANNA, status: str = "answered") -> CloseTicket:
    return CloseTicket(ticket_id, status, answer, "看过了", actor)


def test_a_ticket_reads_back(store: SqlStore, add: Add, new_ticket: NewTicket, clock: ShiftedClock) -> None:
    """All of the question survives; opening it again is a conflict."""
    add("a")
    ticket = new_ticket(
        "t1",
        kind="exception",
        topic="plan",
        tried="两次",
        evidence=("E1.1",),
        choices=(Choice(value="y", label="是"),),
        about="B12",
        hours=2.0,
        default="y",
        deadline=clock.now() + timedelta(hours=2),
    )
    store.apply([OpenTicket(ticket)])
    assert store.ticket(ACME, "t1") == ticket
    with pytest.raises(ConflictError, match="exists already"):
        store.apply([OpenTicket(ticket)])


def test_an_answer_wakes_the_subtask_that_waits(
    store: SqlStore, add: Add, take: Take, new_ticket: NewTicket, status: Callable[[str], Status]
) -> None:
    """Who answered what, how and when is kept; the second answer is refused and changes nothing."""
    add("a")
    store.apply([OpenTicket(new_ticket("t1")), Wait("r1/a")], take("a", step=1))
    assert status("a") is Status.WAITING
    assert store.apply([close("t1")]).ready == ("r1/a",)
    closed = store.ticket(ACME, "t1")
    assert (closed.status, closed.answer, closed.comment, closed.answered_by) == ("answered", "yes", "看过了", ANNA)
    assert closed.answered_at is not None
    with pytest.raises(ConflictError, match="closed already"):
        store.apply([close("t1", "no", SWEEPER, "expired")])
    assert store.ticket(ACME, "t1") == closed


def test_a_subtask_waits_for_all_its_tickets(
    store: SqlStore, add: Add, take: Take, new_ticket: NewTicket, status: Callable[[str], Status]
) -> None:
    """The last answer wakes it, whatever else it waits for; another subtask's ticket does not count."""
    add("a", "b")
    opened = [OpenTicket(new_ticket(name, key)) for name, key in (("t1", "a"), ("t2", "a"), ("t3", "b"))]
    until = store.run_of("r1/a").created_at + timedelta(days=1)
    store.apply([*opened, Wait("r1/a", until)], take("a", step=1))
    assert store.apply([close("t2")]).ready == ()
    assert status("a") is Status.WAITING
    assert store.apply([close("t1")]).ready == ("r1/a",)
    found = store.subtask("r1/a")
    assert found is not None
    assert found.wake_at is None


def test_an_answer_to_a_running_subtask_is_only_kept(
    store: SqlStore, add: Add, take: Take, new_ticket: NewTicket, status: Callable[[str], Status]
) -> None:
    """The turn that opened it is still at work; when it then waits for nothing it is ready at once."""
    add("a")
    fence = take("a", step=1)
    store.apply([OpenTicket(new_ticket("t1"))], fence)
    assert store.apply([close("t1")]).ready == ()
    assert status("a") is Status.RUNNING
    assert store.apply([Wait("r1/a")], fence).ready == ("r1/a",)


def test_no_answer_after_the_run_was_cancelled(store: SqlStore, add: Add, new_ticket: NewTicket) -> None:
    """The ticket was closed with the run."""
    add("a")
    store.apply([OpenTicket(new_ticket("t1"))])
    store.apply([CancelRun("r1", "x")])
    with pytest.raises(ConflictError):
        store.apply([close("t1")])
    assert store.ticket(ACME, "t1").status == "cancelled"


def test_an_unknown_ticket(store: SqlStore) -> None:
    """It is said so, whether it is closed or asked for."""
    with pytest.raises(NotFoundError, match="there is no such ticket"):
        store.apply([close("none")])
    with pytest.raises(NotFoundError, match="there is no ticket `none`"):
        store.ticket(ACME, "none")


def test_a_ticket_belongs_to_a_subtask_of_a_run(store: SqlStore, add: Add, new_ticket: NewTicket) -> None:
    """One of nothing is a defect, refused by the database itself."""
    add("a")
    for wrong in (new_ticket("t1", "none"), new_ticket("t1").model_copy(update={"run_id": "none"})):
        with pytest.raises(DefectError, match="refused a row"):
            store.apply([OpenTicket(wrong)])
    assert store.tickets(ACME) == []


def test_a_beginning_of_an_id_finds_a_ticket_within_the_scope(store: SqlStore, add: Add, new_ticket: NewTicket) -> None:
    """Two that begin alike must be told apart; another tenant sees none."""
    add("a")
    store.apply([OpenTicket(new_ticket(name)) for name in ("tab1", "tab2", "tcd1")])
    assert store.ticket(ACME, "tc").id == "tcd1"
    with pytest.raises(NotFoundError, match="several tickets begin with `ta`"):
        store.ticket(ACME, "ta")
    with pytest.raises(NotFoundError):
        store.ticket(Scope(tenant="other"), "tcd1")


def test_tickets_are_listed_by_when_they_were_opened(
    store: SqlStore, add: Add, new_ticket: NewTicket, clock: ShiftedClock
) -> None:
    """Filtered by run, subtask and status, within a scope or for the engine itself."""
    add("a", "b")
    for name, key in (("t3", "a"), ("t1", "b"), ("t2", "a")):
        store.apply([OpenTicket(new_ticket(name, key))])
        clock.advance(1)
    store.apply([close("t1")])

    def ids(*found: Ticket) -> list[str]:
        return [one.id for one in found]

    assert ids(*store.tickets(ACME)) == ["t3", "t1", "t2"]
    assert ids(*store.tickets(ACME, limit=2)) == ["t3", "t1"]
    assert ids(*store.tickets(ACME, status="open")) == ["t3", "t2"]
    assert ids(*store.tickets(None, subtask_id="r1/b")) == ["t1"]
    assert ids(*store.tickets(None, run_id="r1", status="answered")) == ["t1"]
    assert store.tickets(Scope(tenant="other")) == []
    assert store.tickets(Scope(tenant="other"), run_id="r1") == []
    with pytest.raises(DefectError):
        store.tickets(None)


def test_tickets_past_their_deadline(store: SqlStore, add: Add, new_ticket: NewTicket, clock: ShiftedClock) -> None:
    """Open ones only, the most overdue first."""
    add("a")
    for name, hours in (("t1", 3), ("t2", 1), ("t3", 2), ("t4", 9)):
        store.apply([OpenTicket(new_ticket(name, deadline=clock.now() + timedelta(hours=hours)))])
    store.apply([OpenTicket(new_ticket("t5"))])
    assert store.overdue_tickets(10) == []
    clock.advance(4 * 3600)
    store.apply([close("t3")])
    assert [one.id for one in store.overdue_tickets(10)] == ["t2", "t1"]
    assert [one.id for one in store.overdue_tickets(1)] == ["t2"]
