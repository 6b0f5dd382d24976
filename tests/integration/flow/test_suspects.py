"""A worker died over several subtasks at once: which of them it died of is found out without the others."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest

Make = Callable[..., Any]
NAMES = ("poison", "neighbour")
PLAN = {"subtasks": [{"key": one, "agent": "finder", "title": one, "instruction": one} for one in NAMES]}
FOUND = {"summary": "Nothing was there.", "evidence": []}


def plan(*_: Any) -> Any:
    """Two subtasks side by side."""
    return PLAN


def die_together(engine: Any, run_id: str, times: int, names: tuple[str, ...]) -> None:
    """A worker that holds these subtasks dies, so many times."""
    for time in range(times):
        worker = f"dead{time}"
        engine.store.register(worker, 30)
        for name in names:
            assert engine.store.claim(f"{run_id}/{name}", worker) is not None
        engine.store.expire(worker)
        engine.sweeper.sweep()
    assert [engine.store.subtask(f"{run_id}/{name}").deaths for name in names] == [times] * len(names)


@contextmanager
def at_the_poison(
    flow: Make, eventually: Callable[..., None], times: int, names: tuple[str, ...]
) -> Generator[tuple[Any, str, list[str]]]:
    """For the block a worker is at the poison, after so many deaths over these: the engine, the run, what was begun."""
    gate = threading.Event()
    begun: list[str] = []

    def find(briefing: Any, request: Any) -> Any:
        del request
        begun.append(briefing["instruction"])
        if briefing["instruction"] == "poison":
            assert gate.wait(60)
        return FOUND

    engine = flow(planner=plan, specialist=find)
    run_id = engine.submit().id
    engine.runner.run(f"{run_id}/plan")
    die_together(engine, run_id, times, names)
    poison = threading.Thread(target=engine.runner.run, args=(f"{run_id}/poison",))
    poison.start()
    eventually(lambda: begun == ["poison"])
    try:
        yield engine, run_id, begun
    finally:
        gate.set()
        poison.join()


def test_two_suspects_are_never_worked_on_together(flow: Make, eventually: Callable[..., None]) -> None:
    """While one is at work the other waits as a row, not even claimed, since a claim dies with its worker."""
    with at_the_poison(flow, eventually, 2, NAMES) as (engine, run_id, begun):
        engine.runner.run(f"{run_id}/neighbour")
        waiting = engine.store.subtask(f"{run_id}/neighbour")
        assert (begun, waiting.status, waiting.owner, waiting.deaths) == (["poison"], "waiting", None, 2)
        assert waiting.epoch == 2, "it was claimed by nobody but the two who died"
        assert waiting.wake_at <= engine.clock.now() + timedelta(seconds=1)
    engine.clock.advance(1)
    engine.sweeper.sweep()
    engine.work()
    assert begun == ["poison", "neighbour"]
    assert engine.progress(run_id).state == "done"


@pytest.mark.parametrize(("times", "names"), [(2, ("poison",)), (1, NAMES)])
def test_who_is_no_suspect_is_not_kept_waiting(
    flow: Make, eventually: Callable[..., None], times: int, names: tuple[str, ...]
) -> None:
    """A subtask over which nobody died runs beside a suspect; and after one death all go on side by side."""
    with at_the_poison(flow, eventually, times, names) as (engine, run_id, _):
        engine.runner.run(f"{run_id}/neighbour")
        assert engine.store.subtask(f"{run_id}/neighbour").status == "done"
