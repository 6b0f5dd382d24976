"""A worker that is told to stop in the middle of a step: one that ends in time, and one that does not."""

import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from orchestrator.domain.identity import Scope

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


@dataclass
class Measuring:
    """A run whose every measurement waits for a gate; the worker is in the middle of the first two."""

    command: subprocess.Popen[str]
    desk: Any
    log: Path
    gate: Path
    shared: Any

    @property
    def lines(self) -> list[str]:
        """What the tools noted."""
        return sorted(self.log.read_text().splitlines()) if self.log.exists() else []

    @property
    def measured(self) -> Sequence[tuple[str, int, int]]:
        """Where the measurements stand, after how many turns and deaths."""
        store = self.shared.store()
        (run,) = store.runs(Scope(tenant="local"), 10)
        found = [(one.status.value, one.epoch, one.deaths) for one in store.subtasks(run.id) if one.parent_id]
        store.close()
        return found

    def assert_done(self) -> None:
        """It comes to its end."""
        ended = self.desk.ended(self.command)
        assert (ended.code, ended.json["sizes"]) == (0, [1, 4]), ended.err


@pytest.fixture
def measuring(
    new_remit: Callable[[str], Any],
    shared: Any,
    told: subprocess.Popen[bytes],
    until: Callable[..., None],
    tmp_path: Path,
) -> Measuring:
    """Hand the goal in, and wait until the worker is at it."""
    assert told.poll() is None
    log, gate = tmp_path / "toil.log", tmp_path / "gate"
    given = {"things": str(THINGS), "log": str(log), "gate": str(gate)}
    parameters = [part for name, value in given.items() for part in ("--param", f"{name}={value}")]
    desk = new_remit("desk")
    command = desk.start("run", "Measure.", "--team", str(TEAM), *parameters, "--json", **shared.env)
    made = Measuring(command, desk, log, gate, shared)
    until(lambda: made.lines == ["begin 1.1", "begin 2.1"], command)
    return made


def test_a_turn_ends_with_the_step_in_hand(
    measuring: Measuring,
    shared: Any,
    told: subprocess.Popen[bytes],
    start_worker: Callable[..., Any],
    until: Callable[..., None],
) -> None:
    """What it was told to stop in is finished and stored, what would come next is left to whoever is there."""
    told.send_signal(signal.SIGTERM)
    until(lambda: "finishes the steps in hand" in shared.log_of("told"))
    measuring.gate.touch()
    assert told.wait(timeout=120) == 0
    assert measuring.lines == ["begin 1.1", "begin 2.1", "end 1.1", "end 2.1"]
    assert measuring.measured == [("ready", 1, 0)] * THINGS
    start_worker("second")
    measuring.assert_done()
    assert measuring.lines == sorted(
        f"{what} {n}.{turn}" for what in ("begin", "end") for n in (1, 2) for turn in (1, 2)
    )
    assert measuring.measured == [("done", 2, 0)] * THINGS


@pytest.mark.slow
def test_a_turn_that_does_not_end_in_time_goes_on_elsewhere(
    measuring: Measuring, told: subprocess.Popen[bytes], start_worker: Callable[..., Any]
) -> None:
    """After ten seconds the worker gives it up: ready at once for whoever is there, and nobody is said to have died,
    so that no deploy, however many workers it stops one after another, ever asks a person about it."""
    told.send_signal(signal.SIGTERM)
    assert told.wait(timeout=120) == GIVEN_UP
    assert measuring.measured == [("ready", 1, 0)] * THINGS
    start_worker("second")
    measuring.gate.touch()
    measuring.assert_done()
    assert measuring.measured == [("done", 2, 0)] * THINGS
