"""Log files of the services: appended to by them, kept short by the supervisor."""

import os
import shutil
from pathlib import Path

LOG_LIMIT = 5_000_000
"""Bytes of a log before its content moves to `NAME.log.1`, replacing what was there."""

_TAIL = 8192
_LONGEST_LINE = 300


def open_log(path: Path) -> int:
    """A descriptor that appends, whoever else writes to the file."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)


def size_of(path: Path) -> int:
    """Bytes in the file, 0 when there is none."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def cap(path: Path, limit: int = LOG_LIMIT) -> None:
    """Move the content to `NAME.log.1` when there is more of it than `limit`.

    The file itself stays, as running services hold it open.
    """
    if size_of(path) <= limit:
        return
    shutil.copyfile(path, path.with_name(path.name + ".1"))
    os.truncate(path, 0)


def last_line(path: Path, since: int = 0) -> str | None:
    """The last line that is not empty and was written after byte `since`, cut to a readable length."""
    size = size_of(path)
    start = max(since if since <= size else 0, size - _TAIL)
    try:
        with path.open("rb") as file:
            file.seek(start)
            lines = file.read(_TAIL).decode("utf-8", "replace").splitlines()
    except OSError:
        return None
    for line in reversed(lines):
        if text := line.strip():
            return text if len(text) <= _LONGEST_LINE else text[:_LONGEST_LINE] + "…"
    return None
