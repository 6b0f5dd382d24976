"""Removes contents that nobody refers to from a folder of blobs, while others put some into it."""

import fcntl
import os
import re
from collections.abc import Collection, Generator, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from orchestrator.errors import StoreError
from orchestrator.ports.care import Swept

UNFINISHED = ".new-"
"""How the files are called that are still being written."""
_LOCK = ".lock"
_FOLDER = re.compile(r"[0-9a-f]{2}")
_FILE = re.compile(r"[0-9a-f]{62}")


@contextmanager
def nobody_sweeps(folder: Path) -> Generator[None]:
    """While open, no content is removed: between seeing that it is there and touching it, or replacing it."""
    with _locked(folder, fcntl.LOCK_SH):
        yield


def stored_in(folder: Path) -> Iterator[tuple[str, int]]:
    """Address and size of every content of the folder."""
    for path in _contents(folder):
        try:
            size = path.stat().st_size
        except FileNotFoundError:
            continue
        yield _address(path), size


class FolderSweep:
    """One sweep of a folder; what was touched since a moment stays, whoever put it may not have said yet why."""

    def __init__(self, folder: Path, untouched_since: datetime) -> None:
        self._folder = folder
        self._until = untouched_since.timestamp()

    def remove_all_but(self, keep: Collection[str]) -> Swept:
        """Remove the rest. Raises StoreError when the folder does not allow it."""
        try:
            sizes = [self._remove(path) for path in _contents(self._folder) if _address(path) not in keep]
            unfinished = [self._remove(path) for path in self._folder.glob(f"{UNFINISHED}*")]
        except OSError as error:
            what = f"contents cannot be removed ({error.strerror})"
            raise StoreError(what, where=str(self._folder), mend="Check its rights.") from None
        removed = [size for size in sizes if size is not None]
        return Swept(len(removed), sum(removed) + sum(size or 0 for size in unfinished))

    def _remove(self, path: Path) -> int | None:
        """The size of what was removed; None when it stays."""
        with _locked(self._folder, fcntl.LOCK_EX):
            try:
                found = path.stat()
            except FileNotFoundError:
                return None
            if found.st_mtime >= self._until:
                return None
            path.unlink()
            return found.st_size


def _contents(folder: Path) -> Iterator[Path]:
    if not folder.is_dir():
        return
    for inner in sorted(folder.iterdir()):
        if _FOLDER.fullmatch(inner.name) and inner.is_dir():
            yield from (path for path in sorted(inner.iterdir()) if _FILE.fullmatch(path.name))


def _address(path: Path) -> str:
    return f"sha256:{path.parent.name}{path.name}"


@contextmanager
def _locked(folder: Path, how: int) -> Generator[None]:
    handle = os.open(folder / _LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, how)
        yield
    finally:
        os.close(handle)
