"""The short private folder of the sockets: a socket's path may have 107 bytes at most, a home any number."""

import hashlib
import os
import stat
import tempfile
from pathlib import Path

from orchestrator.errors import ServiceError

_LONGEST_FOLDER = 85
"""Bytes: macOS allows 103 for the whole path, and `/control.sock` is the longest name in it."""

SHARED_TEMPORARY = Path("/tmp")  # noqa: S108 - the folder made in it is checked for its owner and mode


def socket_folder(home: Path, runtime_dir: Path | None, temporary: Path = SHARED_TEMPORARY) -> Path:
    """Make, or find again, a folder only this user can enter. Raises ServiceError when there is none to be had."""
    digest = hashlib.blake2b(os.fsencode(home.resolve()), digest_size=8).hexdigest()
    if runtime_dir is not None and _usable(runtime_dir):
        candidate = runtime_dir / f"remit-{digest}"
        if _fits(candidate) and _make_private(candidate):
            return candidate
    candidate = temporary / f"remit-{os.geteuid()}-{digest}"
    if _make_private(candidate):
        return candidate
    # Somebody else took the name; a command finds the folder by its record in home, so any name will do.
    try:
        return Path(tempfile.mkdtemp(prefix=f"remit-{os.geteuid()}-", dir=temporary))
    except OSError as error:
        raise ServiceError(
            f"no folder for sockets can be made: {error.strerror}",
            where=str(temporary),
            mend="Make it writable, or set XDG_RUNTIME_DIR to a folder of your own.",
        ) from None


def _fits(folder: Path) -> bool:
    return len(os.fsencode(folder)) <= _LONGEST_FOLDER


def _usable(folder: Path) -> bool:
    # Sockets in a folder that others may write to could be replaced by theirs.
    try:
        found = folder.stat()
    except OSError:
        return False
    private = found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return folder.is_absolute() and stat.S_ISDIR(found.st_mode) and private


def _make_private(folder: Path) -> bool:
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        pass
    except OSError:
        return False
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        return False
    if stat.S_IMODE(found.st_mode) != 0o700:
        folder.chmod(0o700)
    return True
