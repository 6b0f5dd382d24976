"""A file lock that ends with the processes that hold it."""

import fcntl
import os
from pathlib import Path


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
