"""Whoever was stopped sleeps as long as the plan says, and no longer than the round."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path

import psutil
import pytest

from workers.chaos.hits import Hits
from workers.chaos.plan import Plan
from workers.chaos.points import Point
from workers.proof.waker import Waker, waking

STOP = Point("claim.before", "", {"stop": 1})


@pytest.fixture
def stopped(tmp_path: Path) -> Generator[psutil.Process]:
    """A process that met the fault `stop`."""
    command = [sys.executable, "-c", "import time; time.sleep(600)"]
    with subprocess.Popen(command) as process:
        Hits(tmp_path).hit(STOP, Plan(seed=1, round=1, most=10**6, rate=10**6, stop_seconds=1), process.pid)
        os.kill(process.pid, signal.SIGSTOP)
        try:
            yield psutil.Process(process.pid)
        finally:
            process.kill()


def becomes(process: psutil.Process, *, asleep: bool) -> bool:
    """True once it is stopped, or goes on."""
    deadline = time.monotonic() + 60
    while (process.status() == psutil.STATUS_STOPPED) != asleep and time.monotonic() < deadline:
        time.sleep(0.01)
    return (process.status() == psutil.STATUS_STOPPED) == asleep


def test_it_sleeps_its_time(stopped: psutil.Process, tmp_path: Path) -> None:
    """Before its time is over nobody wakes it; then it goes on."""
    assert becomes(stopped, asleep=True)
    Waker(tmp_path, 3600).wake()
    assert becomes(stopped, asleep=True)
    with waking(tmp_path, 0):
        assert becomes(stopped, asleep=False)


def test_the_end_wakes_all(stopped: psutil.Process, tmp_path: Path) -> None:
    """What still sleeps when the round is over could not end."""
    assert becomes(stopped, asleep=True)
    with waking(tmp_path, 3600):
        pass
    assert becomes(stopped, asleep=False)


def test_who_has_died_is_no_trouble(tmp_path: Path) -> None:
    """Another fault may have killed it in its sleep."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    Hits(tmp_path).hit(STOP, Plan(seed=1, round=1, most=10**6, rate=10**6, stop_seconds=1), process.pid)
    Waker(tmp_path, 0).wake()
