"""Runs a server as its child and ends it, with everything it started, when its input is closed: by a worker that has
finished with it, or by the death of the worker, even by SIGKILL.

A program of its own, with nothing but the standard library: `python -I -S guard.py COMMAND…`. It leads the process
group in which the server runs.
"""

import ctypes
import os
import select
import signal
import subprocess
import sys
from contextlib import suppress

_PR_SET_PDEATHSIG = 1
_BY_ITSELF = 1.0
"""Seconds that a server has to end when its input is closed, as MCP asks it to."""
_WHEN_ASKED = 0.5
"""Seconds that it has after SIGTERM."""


def main() -> None:
    """Start the command, wait for its end or that of its input, leave nothing behind."""
    if os.getpgrp() != os.getpid():
        os.setpgid(0, 0)  # whoever started us by hand is not to be killed with us
    ended, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _awake)  # not ignored: the server would inherit that
    server = _started(sys.argv[1:])
    line = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)  # the worker has to see it when the server closes its output
    _wait(server, line, ended)
    if server.poll() not in (None, 0):
        print(f"the process ended {_how(server.returncode)}", file=sys.stderr, flush=True)  # noqa: T201
    os.killpg(0, signal.SIGKILL)


def _awake(_number: int, _frame: object) -> None:
    """A signal only ends the wait."""


def _started(command: list[str]) -> "subprocess.Popen[bytes]":
    try:
        return subprocess.Popen(command, preexec_fn=_die_with_guard)  # noqa: S603, PLW1509  # one thread
    except OSError as error:
        print(f"`{command[0]}` cannot be started: {error.strerror}", file=sys.stderr, flush=True)  # noqa: T201
        sys.exit(127)


def _die_with_guard() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _wait(server: "subprocess.Popen[bytes]", line: int, ended: int) -> None:
    poll = select.poll()
    poll.register(line, 0)  # its end is always told
    poll.register(ended, select.POLLIN)
    while server.poll() is None:
        happened = dict(poll.poll())
        if ended in happened:
            os.read(ended, 512)
        if line in happened:
            with suppress(subprocess.TimeoutExpired):
                server.wait(_BY_ITSELF)
                return
            os.killpg(0, signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                server.wait(_WHEN_ASKED)
            return


def _how(code: int) -> str:
    if code >= 0:
        return f"with exit code {code}"
    try:
        return f"by {signal.Signals(-code).name}"
    except ValueError:
        return f"by signal {-code}"


if __name__ == "__main__":
    main()
