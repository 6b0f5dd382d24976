"""Workers that lose their lease: one that was suspended and wakes up, and one that cannot reach the database."""

import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent / "looking"
LEASE = "8"
"""Seconds; of the worker that loses its lease, which a busy machine must not take from it before."""


class Looking:
    """One goal for the looking team, and what its tools noted."""

    def __init__(self, folder: Path) -> None:
        self.log = folder / "looking.log"
        self.gate = folder / "gate"
        self.env = {"PYTHONPATH": str(FOLDER), "REMIT_LEASE_SECONDS": LEASE}

    @property
    def command(self) -> list[str]:
        """What hands the goal in."""
        given = [part for name in ("log", "gate") for part in ("--param", f"{name}={getattr(self, name)}")]
        return ["run", "Look.", "--team", str(FOLDER / "team.toml"), *given, "--json"]

    def noted(self, pid: int) -> list[str]:
        """What this process did, in order."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [what for what, by in map(str.split, lines) if by == str(pid)]


@pytest.fixture
def looking(tmp_path: Path) -> Looking:
    """A goal for the looking team."""
    return Looking(tmp_path)


@pytest.mark.slow
def test_suspended_past_its_lease(
    new_remit: Callable[[str], Any],
    shared: Any,
    start_worker: Callable[..., subprocess.Popen[bytes]],
    until: Callable[..., None],
    looking: Looking,
) -> None:
    """It wakes up inside a tool: it begins no other one, writes nothing, and ends; another worker did it all once."""
    asker = new_remit("asker")
    stopped = start_worker("stopped", **looking.env)
    command = asker.start(*looking.command, **{**shared.env, **looking.env})
    until(lambda: looking.noted(stopped.pid) == ["look-1"], command)
    stopped.send_signal(signal.SIGSTOP)
    other = start_worker("other", PYTHONPATH=str(FOLDER))
    until(lambda: looking.noted(other.pid) == ["look-1"], command)
    looking.gate.touch()
    ended = asker.ended(command)
    assert ended.code == 0, ended.err
    everything = ["look-1", "seen-1", "look-2", "seen-2", "act"]
    assert looking.noted(other.pid) == everything
    before = shared.written(ended.json["run"])
    stopped.send_signal(signal.SIGCONT)
    assert stopped.wait(timeout=60) == 0
    assert looking.noted(stopped.pid) == ["look-1", "seen-1"]
    assert looking.noted(other.pid) == everything
    assert shared.written(ended.json["run"]) == before
    assert "the lease has passed; this worker stops" in shared.log_of("stopped")


@pytest.mark.slow
def test_a_worker_that_cannot_renew(
    new_remit: Callable[[str], Any],
    shared: Any,
    start_worker: Callable[..., subprocess.Popen[bytes]],
    until: Callable[..., None],
    looking: Looking,
) -> None:
    """Cut off from the database it begins nothing more and ends by itself; another worker does it all."""
    asker = new_remit("asker")
    with shared.way_to_database() as way:
        cut_off = start_worker("cut_off", **looking.env, REMIT_DATABASE_URL=way.url)
        command = asker.start(*looking.command, **{**shared.env, **looking.env})
        until(lambda: looking.noted(cut_off.pid) == ["look-1"], command)
        way.close()
        until(lambda: "the lease has passed; this worker stops" in shared.log_of("cut_off"), command)
        looking.gate.touch()
        assert cut_off.wait(timeout=60) == 0
    assert looking.noted(cut_off.pid) == ["look-1", "seen-1"]
    other = start_worker("other", PYTHONPATH=str(FOLDER))
    ended = asker.ended(command)
    assert ended.code == 0, ended.err
    assert looking.noted(other.pid) == ["look-1", "seen-1", "look-2", "seen-2", "act"]
