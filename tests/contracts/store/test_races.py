"""Contract of the store: what happens at the same moment, from two processes, happens once and is never lost."""

from collections.abc import Callable
from typing import Any

import pytest

from orchestrator.adapters.shifted_clock import ShiftedClock
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.domain.changes import (
    AddSubtasks,
    CancelRun,
    Change,
    CloseTicket,
    Fence,
    Note,
    OpenRun,
    OpenTicket,
    Reclaim,
    Release,
    SaveIntents,
    Settle,
    Spread,
    Wait,
)
from orchestrator.domain.effect import EffectIntent, idempotency_key
from orchestrator.domain.finding import Ending, Finding
from orchestrator.domain.identity import ENGINE, Actor, Scope
from orchestrator.domain.run import Run
from orchestrator.domain.subtask import Edge, NewSubtask, Status
from orchestrator.domain.ticket import Ticket
from orchestrator.errors import ConflictError, FencedError
from orchestrator.ports.store import Applied

ROUNDS = 25
DONE = Finding(status="done", ending=Ending.ANSWER)
Add = Callable[..., Applied]
Take = Callable[..., Fence]
New = Callable[..., NewSubtask]
MakeEdge = Callable[..., Edge]
Together = Callable[..., list[Any]]


def settle_again(store: SqlStore, fence: Fence) -> Applied:
    """End a subtask and release its dependents; read its edges again after a conflict, as the engine does."""
    while True:
        releases = [Release(one, satisfied=True) for one in store.edges_from(fence.subtask_id)]
        try:
            return store.apply([Settle(fence.subtask_id, Status.DONE, DONE), *releases], fence)
        except ConflictError:
            continue


def test_the_same_wake_up_ten_times_is_one_claim(
    store: SqlStore, other: SqlStore, add: Add, together: Together
) -> None:
    """Ten threads of two processes claim at once: one gets it."""
    for n in range(ROUNDS):
        add(f"a{n}")
        claims = [lambda s=s, n=n: s.claim(f"r1/a{n}", "w1") for s in (store, other) for _ in range(5)]
        got = [one for one in together(*claims) if one is not None]
        assert [one.epoch for one in got] == [1]


def test_the_last_two_predecessors_end_at_once(
    store: SqlStore, other: SqlStore, add: Add, edge: MakeEdge, take: Take, together: Together
) -> None:
    """Their dependent becomes ready exactly once."""
    for n in range(ROUNDS):
        a, b, c = f"a{n}", f"b{n}", f"c{n}"
        add(a, b, c, edges=[edge(a, c), edge(b, c)])
        left, right = take(a), take(b)
        done = together(lambda f=left: settle_again(store, f), lambda f=right: settle_again(other, f))
        assert sorted(key for one in done for key in one.ready) == [f"r1/{c}"]


def test_an_edge_added_while_its_predecessor_ends_is_never_lost(
    store: SqlStore, other: SqlStore, add: Add, new: New, edge: MakeEdge, take: Take, together: Together
) -> None:
    """Whoever is first: the new dependent is ready afterwards, and was made so once."""
    for n in range(ROUNDS):
        a, b = f"a{n}", f"b{n}"
        add(a)
        fence = take(a)
        adding = AddSubtasks("r1", (new(b),), (edge(a, b),))
        done = together(lambda f=fence: settle_again(store, f), lambda c=adding: other.apply([c]))
        assert [key for one in done for key in one.ready] == [f"r1/{b}"]
        found = store.subtask(f"r1/{b}")
        assert found is not None
        assert (found.status, found.unmet) == (Status.READY, 0)


def test_a_group_is_spread_while_its_last_child_ends(
    store: SqlStore, other: SqlStore, run: Run, new: New, take: Take, together: Together
) -> None:
    """It becomes ready exactly once."""
    for n in range(ROUNDS):
        store.apply([AddSubtasks("r1", (new(f"g{n}", "group"),))])
        group = take(f"g{n}", "w2")
        child = new(f"g{n}.1", parent_id=group.subtask_id)
        to_group = Edge(from_id=child.id, to_id=group.subtask_id, needs="any")
        store.apply([AddSubtasks("r1", (child,), (to_group,))], group)
        fence = take(f"g{n}.1")
        done = together(lambda f=fence: settle_again(store, f), lambda g=group: other.apply([Spread(g.subtask_id)], g))
        assert [key for one in done for key in one.ready] == [group.subtask_id]


def test_a_ticket_answered_twice_has_one_answer(
    store: SqlStore, other: SqlStore, add: Add, new_ticket: Callable[..., Ticket], together: Together
) -> None:
    """One wins, the other is told; the stored answer is the winner's."""
    add("a")
    for n in range(ROUNDS):
        ticket_id = f"t{n:03d}"
        store.apply([OpenTicket(new_ticket(ticket_id))])
        answers = [CloseTicket(ticket_id, "answered", said, "", Actor(id=said)) for said in ("yes", "no")]
        done = together(lambda c=answers[0]: store.apply([c]), lambda c=answers[1]: other.apply([c]))
        assert sorted(type(one) is Applied for one in done) == [False, True]
        assert sum(isinstance(one, ConflictError) for one in done) == 1
        winner = "yes" if isinstance(done[0], Applied) else "no"
        assert store.ticket(Scope(tenant="acme"), ticket_id).answer == winner


def test_an_answer_at_the_moment_the_subtask_begins_to_wait(
    store: SqlStore, other: SqlStore, add: Add, take: Take, new_ticket: Callable[..., Ticket], together: Together
) -> None:
    """The subtask is ready afterwards, whoever was first."""
    for n in range(ROUNDS):
        key, ticket_id = f"a{n}", f"t{n:03d}"
        add(key)
        fence = take(key, step=1)
        store.apply([OpenTicket(new_ticket(ticket_id, key))], fence)
        answer = CloseTicket(ticket_id, "answered", "yes", "", ENGINE)
        done = together(lambda f=fence: store.apply([Wait(f.subtask_id)], f), lambda c=answer: other.apply([c]))
        assert [one for applied in done for one in applied.ready] == [f"r1/{key}"]


def test_two_sweepers_reclaim_once(store: SqlStore, other: SqlStore, add: Add, take: Take, together: Together) -> None:
    """One death is counted."""
    keys = [f"a{n}" for n in range(ROUNDS)]
    add(*keys)
    for key in keys:
        take(key, "w2")
    store.expire("w2")
    for key in keys:
        change = Reclaim(f"r1/{key}", "w2", 1)
        done = together(lambda c=change: store.apply([c]), lambda c=change: other.apply([c]))
        assert sum(isinstance(one, ConflictError) for one in done) == 1
    assert {one.deaths for one in store.subtasks("r1")} == {1}


def test_a_run_is_cancelled_while_its_turns_end(
    store: SqlStore,
    other: SqlStore,
    run: Run,
    new_run: Callable[..., Run],
    new: New,
    together: Together,
) -> None:
    """No turn is half done, nothing is left alive, nobody waits for the other for ever."""
    for n in range(8):
        run_id = f"c{n}"
        keys = [f"z{k}" for k in range(4)]
        work = [new(key, run_id=run_id) for key in (*keys, "a", "b")]
        edges = [Edge(from_id=f"{run_id}/{key}", to_id=f"{run_id}/{end}") for key in keys for end in "ab"]
        store.apply([OpenRun(new_run(run_id)), AddSubtasks(run_id, tuple(work), tuple(edges))])
        fences: list[Fence] = []
        for key in keys:
            assert store.claim(f"{run_id}/{key}", "w1") is not None
            fences.append(Fence(f"{run_id}/{key}", "w1", 1, 0))
        turns = [lambda s=s, f=f: settle_again(s, f) for s, f in zip((store, other) * 2, fences, strict=True)]
        done = together(*turns, lambda r=run_id: other.apply([CancelRun(r, "enough")]))
        assert isinstance(done[-1], Applied)
        assert all(isinstance(one, Applied | FencedError) for one in done)
        ended = {one.key: one.status for one in store.subtasks(run_id)}
        for key, result in zip(keys, done, strict=False):
            assert ended[key] is (Status.DONE if isinstance(result, Applied) else Status.CANCELLED)
        assert (ended["a"], ended["b"]) == (Status.CANCELLED, Status.CANCELLED)


def test_notes_of_many_threads_are_one_chain(store: SqlStore, other: SqlStore, run: Run, together: Together) -> None:
    """Numbered without a gap, whoever wrote them."""
    changes: list[Change] = [Note("r1", ENGINE, f"note {n}") for n in range(24)]
    writes = [lambda s=s, c=c: s.apply([c]) for s, c in zip((store, other) * 12, changes, strict=True)]
    assert together(*writes) == [Applied()] * 24
    chain = store.audit("r1")
    assert [one.n for one in chain] == list(range(1, 25))
    assert {one.action for one in chain} == {f"note {n}" for n in range(24)}


def test_subtasks_added_at_once_get_different_numbers(
    store: SqlStore, other: SqlStore, run: Run, new: New, together: Together
) -> None:
    """The same subtask added by both is there once."""
    lists = [AddSubtasks("r1", tuple(new(key) for key in (f"own{n}", "shared", f"more{n}"))) for n in range(8)]
    adds = [lambda s=s, c=c: s.apply([c]) for s, c in zip((store, other) * 4, lists, strict=True)]
    done = together(*adds)
    assert sum(one.ready.count("r1/shared") for one in done) == 1
    assert [one.number for one in store.subtasks("r1")] == list(range(1, 18))


def test_a_subtask_is_taken_away_while_its_worker_begins_a_call(
    store: SqlStore, other: SqlStore, add: Add, take: Take, clock: ShiftedClock, together: Together
) -> None:
    """Either the intent stands, and whoever goes on reads it, or the old worker is stopped before it can call."""
    for n in range(ROUNDS):
        key, worker = f"a{n}", f"d{n}"
        add(key)
        store.register(worker, 3600)
        fence = take(key, worker, step=1)
        store.expire(worker)
        intent = EffectIntent(
            subtask_id=fence.subtask_id,
            step=1,
            call_id="c1.0",
            key=idempotency_key(fence.subtask_id, 1, "c1.0"),
            tool="pay",
            effect="unsafe",
            arguments={},
            epoch=fence.epoch,
            deadline=clock.now(),
        )
        taken, begun = together(
            lambda f=fence: store.apply([Reclaim(f.subtask_id, f.owner, f.epoch)]),
            lambda f=fence, i=intent: other.apply([SaveIntents((i,))], f),
        )
        assert taken.ready == (fence.subtask_id,)
        assert isinstance(begun, Applied | FencedError)
        assert take(key, "w1").epoch == fence.epoch + 1
        assert store.intents(fence.subtask_id, 1) == ([intent] if isinstance(begun, Applied) else [])
        with pytest.raises(FencedError):
            other.apply([SaveIntents((intent,))], fence)
