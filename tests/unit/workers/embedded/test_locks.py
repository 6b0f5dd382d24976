"""Locks keep others out, also others in the same process, and end with their holder."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.errors import ServiceError
from orchestrator.ports.clock import Deadline
from workers.embedded.locks import held, try_lock


def test_one_holder_at_a_time(tmp_path: Path) -> None:
    """The second gets none until the first lets go."""
    first = try_lock(tmp_path / "lock")
    assert first is not None
    assert try_lock(tmp_path / "lock") is None
    os.close(first)
    again = try_lock(tmp_path / "lock")
    assert again is not None
    os.close(again)


def test_a_child_that_inherits_the_lock_holds_it(tmp_path: Path) -> None:
    """The starting command may let go: the lock ends with the supervisor."""
    lock = try_lock(tmp_path / "lock")
    assert lock is not None
    with subprocess.Popen(
        [sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, pass_fds=(lock,)
    ) as child:
        os.close(lock)
        assert try_lock(tmp_path / "lock") is None
        child.communicate(b"\n")
    after = try_lock(tmp_path / "lock")
    assert after is not None
    os.close(after)


def test_a_bounded_wait(tmp_path: Path) -> None:
    """When the holder does not let go, one line says so and names the file."""
    path = tmp_path / "lock"
    with held(path, Deadline.after(1)), pytest.raises(ServiceError) as caught, held(path, Deadline.after(0.03)):
        pytest.fail("two hold the lock")
    assert str(caught.value) == (
        f"{path}: another command is starting the services and does not finish. End that command and try again."
    )
    with held(path, Deadline.after(0)):
        assert try_lock(path) is None


def test_the_file_is_the_owners_alone(tmp_path: Path) -> None:
    """Nobody else can hold up our start."""
    with held(tmp_path / "lock", Deadline.after(1)):
        assert (tmp_path / "lock").stat().st_mode & 0o777 == 0o600
