"""What a worker asks the database while it has nothing to do, and that it then still sees whatever comes up."""

import time
from collections.abc import Callable, Generator
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import Engine, event

from orchestrator.domain.changes import CancelRun
from workers.celery_app import make_app
from workers.keeper import Keeper
from workers.pool_worker import PoolWorker

Make = Callable[..., Any]
ME = "w1"
LEASE = 3600.0
CHOICES = [{"value": "yes", "label": "Yes"}, {"value": "no", "label": "No"}]


@pytest.fixture
def asked() -> Generator[list[str]]:
    """Every statement that is executed from now on."""
    seen: list[str] = []

    def note(*args: Any) -> None:
        seen.append(args[2])

    event.listen(Engine, "before_cursor_execute", note)
    yield seen
    event.remove(Engine, "before_cursor_execute", note)


def keeper_of(engine: Any, worker_id: str = ME, threads: int = 2) -> Keeper:
    """The keeper of the engine's worker; its threads are not started, the test decides when it looks."""
    pool = PoolWorker(make_app("redis://127.0.0.1:1/0", "test"), threads, lambda: None, lambda: None)
    return Keeper(
        store=engine.store,
        sweeper=engine.sweeper,
        runner=engine.runner,
        worker_id=worker_id,
        lease_seconds=LEASE,
        broker=engine.broker,
        pool=pool,
    )


def ask(_: Any, request: Any) -> Any:
    """Ask a person, then say what they said."""
    if request.messages[-1].role != "tool":
        return [("escalate", {"question": "Really?", "choices": CHOICES, "hours": 1, "default": "no"})]
    return {"summary": "Answered."}


def settle(engine: Any, keeper: Keeper, run_id: str) -> None:
    """Look, and work, until the run has ended."""
    for _ in range(5):
        assert keeper.look_after()
        engine.work()
    assert engine.progress(run_id).state == "done"


def test_an_idle_worker_asks_one_question(flow: Make, asked: list[str]) -> None:
    """However many runs wait, or have ended: one, and nothing is written."""
    engine = flow(specialist=ask)
    keeper = keeper_of(engine)
    assert keeper.look_after()
    waiting = [engine.run().run.id for _ in range(3)]
    ended = engine.run().run.id
    engine.answer(ended, "yes")
    assert keeper.look_after()
    asked.clear()
    for _ in range(3):
        assert keeper.look_after()
    assert len(asked) == 3
    assert all(statement.startswith("SELECT") for statement in asked)
    assert [engine.progress(one).state for one in waiting] == ["waiting"] * 3


def test_a_lost_wake_up_is_seen(flow: Make) -> None:
    """The broker was emptied after the goal was handed in."""
    engine = flow()
    keeper = keeper_of(engine)
    run_id = engine.submit().id
    engine.broker.take()
    engine.clock.advance(3)
    settle(engine, keeper, run_id)


def test_a_deadline_is_seen(flow: Make) -> None:
    """Its default counts, and the run goes on."""
    engine = flow(specialist=ask)
    keeper = keeper_of(engine)
    run_id = engine.run().run.id
    assert keeper.look_after()
    assert engine.progress(run_id).state == "waiting"
    engine.clock.advance(3601)
    settle(engine, keeper, run_id)


def test_a_dead_worker_is_seen(flow: Make) -> None:
    """What it held is taken from it."""
    engine = flow()
    keeper = keeper_of(engine)
    engine.store.register("dead", 3600)
    run_id = engine.submit().id
    engine.broker.take()
    assert engine.store.claim(f"{run_id}/plan", "dead") is not None
    assert keeper.look_after()
    assert engine.broker.woken == ()
    engine.store.expire("dead")
    settle(engine, keeper, run_id)


def test_a_cancelled_run_is_seen_from_within_its_turn(flow: Make) -> None:
    """All is at rest in the database then; but a thread of this worker is still at it, and has to hear of it."""
    heard: list[bool] = []

    def find(_: Any, request: Any) -> Any:
        engine.applier.apply([CancelRun(run.id, "enough")])
        engine.store.traced([run.id])
        assert engine.store.at_rest(ME)
        assert keeper.look_after()
        heard.append(request.deadline.passed())
        return {"summary": "Too late."}

    engine = flow(specialist=find)
    keeper = keeper_of(engine)
    run = engine.submit()
    engine.work()
    assert heard == [True]


def test_who_has_given_up_begins_nothing_more(flow: Make) -> None:
    """A turn that did not end in time may still run for a moment, while somebody else is at its subtask already; and
    the lease is over for everybody who asks who is at work."""
    engine = flow()
    keeper = keeper_of(engine, "host:1:a")
    keeper.start()
    assert keeper.holds
    assert sorted(lease.worker_id for lease in engine.store.leases()) == ["host:1:a", ME]
    keeper.close()
    assert not keeper.holds
    assert [lease.worker_id for lease in engine.store.leases()] == [ME]


def test_nothing_is_begun_from_before_the_first_is_given_up(flow: Make) -> None:
    """Of many turns in hand the first one has a new owner long before the last one is given up."""
    engine = flow()
    run_id = engine.submit().id
    assert engine.store.claim(f"{run_id}/plan", ME) is not None
    keeper = keeper_of(engine, "host:1:a")
    keeper.start()
    assert keeper.holds
    held: list[bool] = []

    def note(*args: Any) -> None:
        if args[2].startswith("UPDATE subtasks"):
            held.append(keeper.holds)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        keeper.close()
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    assert held
    assert not any(held)


@pytest.mark.parametrize(("late", "given_up"), [(0.0, True), (2 * LEASE, False)], ids=["in time", "too late"])
def test_who_lost_its_lease_gives_nothing_up(
    flow: Make, monkeypatch: pytest.MonkeyPatch, late: float, given_up: bool
) -> None:
    """What a worker lost its lease over is taken from it and counts as a death, or it might never come to an end."""
    engine = flow()
    run_id = engine.submit().id
    assert engine.store.claim(f"{run_id}/plan", ME) is not None
    keeper = keeper_of(engine, "host:1:a")
    keeper.start()
    clocks = SimpleNamespace(monotonic=lambda: time.monotonic() + late, time=lambda: time.time() + late)
    monkeypatch.setattr("workers.keeper.time", clocks)
    keeper.close()
    planner = engine.store.subtask(f"{run_id}/plan")
    assert (planner.status, planner.deaths) == ("ready" if given_up else "running", 0)


@pytest.mark.parametrize(
    ("silent", "threads", "down", "goes_on"),
    [(60.0, 2, False, False), (0.0, 2, False, True), (60.0, 0, False, True), (60.0, 2, True, True)],
    ids=["deaf", "it hears", "no thread is free", "the broker is away"],
)
def test_a_deaf_worker_ends(
    flow: Make, monkeypatch: pytest.MonkeyPatch, silent: float, threads: int, down: bool, goes_on: bool
) -> None:
    """Wake-ups go out again and again, the broker answers, a thread is free, and nothing is heard: another one may
    hear better."""
    engine = flow()
    keeper = keeper_of(engine, threads=threads)
    engine.submit()
    for seconds in (3, 5, 9):
        engine.clock.advance(seconds)
        assert keeper.look_after()
    assert engine.store.unclaimed()
    monkeypatch.setattr("workers.turn.time", SimpleNamespace(monotonic=lambda: time.monotonic() + silent))
    engine.broker.down = down
    assert keeper.look_after() is goes_on
