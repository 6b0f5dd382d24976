"""Locks keep others out, also others in the same process, and end with their holder."""

import os
import subprocess
import sys
from pathlib import Path

from workers.embedded.locks import try_lock


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


def test_the_file_is_the_owners_alone(tmp_path: Path) -> None:
    """Nobody else can hold up our start."""
    lock = try_lock(tmp_path / "lock")
    assert lock is not None
    os.close(lock)
    assert (tmp_path / "lock").stat().st_mode & 0o777 == 0o600
