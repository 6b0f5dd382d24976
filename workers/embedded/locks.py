"""File locks that end with the process that holds them."""

import fcntl
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from orchestrator.errors import ServiceError
from orchestrator.ports.clock import Deadline

_LOOK_AGAIN = 0.01


def try_lock(path: Path) -> int | None:
    """Lock the file and return its descriptor, or None when somebody else holds it.

    The lock belongs to the descriptor: a child that inherits it holds the lock too.
    """
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        return None
    except BaseException:
        os.close(fd)
        raise
    return fd


@contextmanager
def held(path: Path, deadline: Deadline) -> Generator[None]:
    """Hold the lock for the block. Raises ServiceError when the deadline passes first."""
    while (fd := try_lock(path)) is None:
        if deadline.passed():
            raise ServiceError(
                "another command is starting the services and does not finish",
                where=str(path),
                mend="End that command and try again.",
            )
        # flock has no time limit of its own, so a bounded wait has to look again.
        time.sleep(_LOOK_AGAIN)
    try:
        yield
    finally:
        os.close(fd)
