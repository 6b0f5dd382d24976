"""The leash: a small process that kills what the supervisor started when the supervisor is gone, even by SIGKILL.

The kernel's own means (PR_SET_PDEATHSIG) is used too where there is one, but it reaches only direct children: a tool's
process under a worker would live on. The leash kills whole process groups, and works on macOS as well.
"""

import os
import signal
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

_GONE_WITHIN = 1.0
_LOOK_AGAIN = 0.005


class Leash:
    """The supervisor's end: a pipe on which the leash reads of each process group, and whose end is its signal."""

    def __init__(self, lock_fd: int, groups: Iterable[int] = ()) -> None:
        """Fork the leash; the caller must have one thread. It holds the lock until all it guards is dead."""
        read_end, self._write_end = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            _guard(read_end, lock_fd, set(groups))
        os.close(read_end)

    def add_me(self) -> None:
        """Called in a new child before it becomes another program, so that no moment is left unguarded."""
        os.write(self._write_end, b"+%d\n" % os.getpid())

    def forget(self, group: int) -> None:
        """The group has ended."""
        with suppress(BrokenPipeError):
            os.write(self._write_end, b"-%d\n" % group)

    def broken(self) -> bool:
        """True once somebody killed the leash."""
        return os.waitpid(self._pid, os.WNOHANG)[0] == self._pid

    def close(self) -> None:
        """Let the leash kill what is left, and wait for its end."""
        self.drop()
        with suppress(ChildProcessError):
            os.waitpid(self._pid, 0)

    def drop(self) -> None:
        """Close this end only."""
        os.close(self._write_end)


def kill_group(group: int) -> None:
    """SIGKILL to every process of the group; it may be gone already."""
    # macOS says "not permitted" of a group in which only a zombie is left.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def _guard(pipe: int, lock_fd: int, groups: set[int]) -> NoReturn:
    # Whatever happens here, the copy of the supervisor must not run on as a second supervisor.
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        _close_all_but(pipe, lock_fd)
        _follow(pipe, groups)
        for group in groups:
            kill_group(group)
        _wait_until_gone(groups)
    finally:
        os._exit(0)


def _close_all_but(*kept: int) -> None:
    # A command's connection held open here would hide the supervisor's death from that command.
    for name in list(Path("/dev/fd").iterdir()):
        if (fd := int(name.name)) not in kept:
            with suppress(OSError):
                os.close(fd)


def _follow(pipe: int, groups: set[int]) -> None:
    rest = b""
    while data := os.read(pipe, 4096):
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            group = int(line[1:])
            if line.startswith(b"+"):
                groups.add(group)
            else:
                groups.discard(group)


def _wait_until_gone(groups: set[int]) -> None:
    # The lock is let go with this process: the next supervisor must not meet a Valkey that is still dying.
    deadline = time.monotonic() + _GONE_WITHIN
    while any(_lives(group) for group in groups) and time.monotonic() < deadline:
        time.sleep(_LOOK_AGAIN)


def _lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return not _is_zombie(group)


def _is_zombie(pid: int) -> bool:
    # In a container the first process may never bury the dead, and they answer signals like the living.
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return False
    return stat.rpartition(b")")[2].split()[:1] == [b"Z"]
