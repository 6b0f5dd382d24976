"""A worker died over several subtasks at once: which of them it died of is found out without the others."""

import threading
from collections.abc import Callable
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


def die_together(engine: Any, run_id: str, times: int = 2, names: tuple[str, ...] = NAMES) -> None:
    """A worker that holds these subtasks dies, so many times."""
    for time in range(times):
        worker = f"dead{time}"
        engine.store.register(worker, 30)
        for name in names:
            assert engine.store.claim(f"{run_id}/{name}", worker) is not None
        engine.store.expire(worker)
        engine.sweeper.sweep()
    assert [engine.store.subtask(f"{run_id}/{name}").deaths for name in names] == [times] * len(names)


def test_two_suspects_are_never_worked_on_together(flow: Make, eventually: Callable[..., None]) -> None:
    """While one is at work the other waits as a row, without another death to it; then it has its turn."""
    gate = threading.Event()
    begun: list[str] = []

    def find(briefing: Any, request: Any) -> Any:
        del request
        begun.append(briefing["instruction"])
        if briefing["instruction"] == "poison":
            assert gate.wait(60)
        return FOUND

    engine = flow(planner=plan, specialist=find)
    run = engine.submit()
    engine.runner.run(f"{run.id}/plan")
    die_together(engine, run.id)
    poison = threading.Thread(target=engine.runner.run, args=(f"{run.id}/poison",))
    poison.start()
    eventually(lambda: begun == ["poison"])
    engine.runner.run(f"{run.id}/neighbour")
    waiting = engine.store.subtask(f"{run.id}/neighbour")
    assert (begun, waiting.status, waiting.owner, waiting.deaths) == (["poison"], "waiting", None, 2)
    assert waiting.wake_at <= engine.clock.now() + timedelta(seconds=1)
    gate.set()
    poison.join()
    engine.clock.advance(1)
    engine.sweeper.sweep()
    engine.work()
    assert begun == ["poison", "neighbour"]
    assert engine.progress(run.id).state == "done"


@pytest.mark.parametrize("names", [("poison",), NAMES])
def test_who_is_no_suspect_is_not_kept_waiting(
    flow: Make, eventually: Callable[..., None], names: tuple[str, ...]
) -> None:
    """A subtask over which nobody died runs beside a suspect; and after one death all go on side by side."""
    gate = threading.Event()
    begun: list[str] = []

    def find(briefing: Any, request: Any) -> Any:
        del request
        begun.append(briefing["instruction"])
        if briefing["instruction"] == "poison":
            assert gate.wait(60)
        return FOUND

    engine = flow(planner=plan, specialist=find)
    run = engine.submit()
    engine.runner.run(f"{run.id}/plan")
    die_together(engine, run.id, 2 if len(names) == 1 else 1, names)
    poison = threading.Thread(target=engine.runner.run, args=(f"{run.id}/poison",))
    poison.start()
    eventually(lambda: begun == ["poison"])
    engine.runner.run(f"{run.id}/neighbour")
    assert engine.store.subtask(f"{run.id}/neighbour").status == "done"
    gate.set()
    poison.join()
