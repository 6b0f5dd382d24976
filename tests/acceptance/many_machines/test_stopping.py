"""A worker that is told to stop in the middle of a call that takes longer than it may wait."""

import signal
import subprocess
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from orchestrator.domain.identity import Scope
from orchestrator.domain.subtask import Status

TEAM = Path(__file__).parent.parent / "crash" / "toil" / "team.toml"
THINGS = 2
GIVEN_UP = 1
"""The exit code of a worker that ended before its turns did."""


@pytest.fixture
def told(new_remit: Callable[[str], Any], shared: Any) -> Generator[subprocess.Popen[bytes]]:
    """A worker that will be told to stop."""
    with (shared.folder / "told.log").open("wb") as log:
        command = [sys.executable, "-m", "workers.entry", "worker"]
        env = {**new_remit("told").env, **shared.env}
        process = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    yield process
    process.kill()
    process.wait()


@pytest.mark.slow
def test_a_turn_that_does_not_end_in_time_goes_on_elsewhere(
    new_remit: Callable[[str], Any],
    shared: Any,
    told: subprocess.Popen[bytes],
    start_worker: Callable[..., Any],
    until: Callable[..., None],
    tmp_path: Path,
) -> None:
    """After ten seconds the worker gives it up: ready at once for whoever is there, and nobody is said to have died,
    so that no deploy, however many workers it stops one after another, ever asks a person about it."""
    log, gate = tmp_path / "toil.log", tmp_path / "gate"
    given = {"things": str(THINGS), "log": str(log), "gate": str(gate)}
    parameters = [part for name, value in given.items() for part in ("--param", f"{name}={value}")]
    desk = new_remit("desk")
    process = desk.start("run", "Measure.", "--team", str(TEAM), *parameters, "--json", **shared.env)
    until(lambda: log.exists() and len(log.read_text().splitlines()) == THINGS, process)
    told.send_signal(signal.SIGTERM)
    assert told.wait(timeout=120) == GIVEN_UP
    store = shared.store()
    (run,) = store.runs(Scope(tenant="local"), 10)
    measured = [one for one in store.subtasks(run.id) if one.parent_id]
    assert [(one.status, one.deaths) for one in measured] == [(Status.READY, 0)] * THINGS
    start_worker("second")
    gate.touch()
    ended = desk.ended(process)
    assert (ended.code, ended.json["sizes"]) == (0, [1, 4]), ended.err
    assert [one.key for one in store.subtasks(run.id) if one.deaths] == []
    store.close()
