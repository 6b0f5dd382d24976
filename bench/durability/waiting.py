"""Ten thousand people are waited for: what that costs a worker in memory, and a sweep in time."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import psutil

from agents.models.base import ModelRequest
from bench.durability.engine import Engine, engine
from orchestrator.domain.changes import AddSubtasks, Fence, OpenTicket, Wait
from orchestrator.domain.subtask import NewSubtask, SubtaskSpec
from orchestrator.domain.ticket import Ticket

TICKETS = 10_000
BATCH = 500
IDLE_SECONDS = 12.0
SWEEPS = 50


def swept(url: str | None) -> tuple[float, float]:
    """Milliseconds of a sweep with nobody waiting, and with ten thousand; medians."""
    with engine(_silent, url) as made:
        before = _sweep(made)
        wait(made)
        return before, _sweep(made)


def _sweep(made: Engine) -> float:
    costs: list[float] = []
    for _ in range(SWEEPS):
        started = time.perf_counter()
        made.sweeper.sweep()
        costs.append((time.perf_counter() - started) * 1000)
    return statistics.median(costs)


def memory() -> tuple[float, float]:
    """MiB of an idle worker's own, with an empty database and with ten thousand tickets in it."""
    with tempfile.TemporaryDirectory() as home:
        empty = _idle(home)
    with tempfile.TemporaryDirectory() as home:
        with engine(_silent, f"sqlite:///{home}/remit.db") as made:
            wait(made)
        return empty, _idle(home)


def wait(made: Engine) -> None:
    """Have ten thousand subtasks of a run wait, each for a person who has a year."""
    run = made.submit()
    made.broker.take()
    for start in range(0, TICKETS, BATCH):
        new = tuple(_new(run.id, number) for number in range(start, start + BATCH))
        made.store.apply([AddSubtasks(run.id, new)])
        for one in new:
            _ask(made, one.id)


def _new(run_id: str, number: int) -> NewSubtask:
    spec = SubtaskSpec(kind="specialist", agent="looker", title="Ask", instruction="Ask.")
    return NewSubtask(id=f"{run_id}/ask{number}", run_id=run_id, key=f"ask{number}", version=1, spec=spec)


def _ask(made: Engine, subtask_id: str) -> None:
    claimed = made.store.claim(subtask_id, made.worker_id)
    assert claimed is not None
    now = made.clock.now()
    ticket = Ticket(
        question="How many are there?",
        answer_type="number",
        id=f"t{subtask_id}",
        run_id=claimed.run_id,
        subtask_id=subtask_id,
        step=0,
        opened_at=now,
        deadline=now + timedelta(days=365),
    )
    fence = Fence(subtask_id, made.worker_id, claimed.epoch, claimed.step)
    made.store.apply([OpenTicket(ticket), Wait(subtask_id)], fence)


def _idle(home: str) -> float:
    up = subprocess.Popen(
        [sys.executable, "-m", "workers.entry", "up"],
        env={**os.environ, "REMIT_HOME": home},
        stderr=subprocess.PIPE,
    )
    assert up.stderr is not None
    up.stderr.readline()
    try:
        worker = next(one for one in psutil.process_iter() if _is_worker(one, home))
        time.sleep(IDLE_SECONDS)  # some sweeps
        return worker.memory_full_info().uss / 2**20
    finally:
        up.terminate()
        up.wait()


def _is_worker(process: psutil.Process, home: str) -> bool:
    try:
        return "--ready-fd" in process.cmdline() and process.environ().get("REMIT_HOME") == str(Path(home))
    except psutil.Error:
        return False


def _silent(briefing: Mapping[str, Any], request: ModelRequest) -> Any:
    del briefing, request
    return {"summary": "Nothing."}
