"""How a worker tells the supervisor that it takes work."""

import os

READY = b"ready\n"


def tell_ready(fd: int) -> None:
    """Say so on the inherited pipe, once; a supervisor that is gone does not matter."""
    try:
        os.write(fd, READY)
    except BrokenPipeError:
        return
    finally:
        os.close(fd)
