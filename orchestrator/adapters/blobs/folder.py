"""Blobs in a folder: written beside, made durable, then renamed into place."""

import hashlib
import os
import tempfile
from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from orchestrator.adapters.blobs.address import address_of, digits_of, missing
from orchestrator.adapters.blobs.sweeping import FolderSweep, nobody_sweeps, stored_in
from orchestrator.errors import InputError, StoreError
from orchestrator.ports.care import Swept

_PIECE = 1024 * 1024


class FolderBlobs:
    """Contents under `<folder>/ab/cd…`, readable by their owner only."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def where(self) -> str:
        """The folder."""
        return str(self._folder)

    def put(self, content: bytes) -> str:
        """Keep the content durably and return its address."""
        address = address_of(content)
        if not self._touched(self._path(address), content):
            self._write([content])
        return address

    def put_file(self, path: Path) -> tuple[str, int]:
        """Keep a file's content, piece by piece; its address and size."""
        try:
            with path.open("rb") as source:
                return self._write(_pieces(source, path))
        except FileNotFoundError:
            raise InputError("there is no such file", where=str(path)) from None
        except IsADirectoryError:
            raise InputError("this is a folder, not a file", where=str(path)) from None
        except PermissionError:
            raise InputError("the file may not be read", where=str(path)) from None
        except OSError as error:
            raise InputError(f"the file cannot be read ({error.strerror})", where=str(path)) from None

    def get(self, address: str) -> bytes:
        """The content, checked against its address."""
        path = self._path(address)
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            raise missing(address) from None
        except OSError as error:
            raise StoreError(f"the content cannot be read ({error.strerror})", where=str(path)) from None
        if address_of(content) != address:
            raise _damaged(path)
        return content

    def local(self, address: str) -> Path:
        """The file itself, checked against its address; it is read-only."""
        path = self._path(address)
        digest = hashlib.sha256()
        try:
            with path.open("rb") as source:
                for piece in iter(lambda: source.read(_PIECE), b""):
                    digest.update(piece)
        except FileNotFoundError:
            raise missing(address) from None
        except OSError as error:
            raise StoreError(f"the content cannot be read ({error.strerror})", where=str(path)) from None
        if digest.hexdigest() != digits_of(address):
            raise _damaged(path)
        return path

    def stored(self) -> Iterator[tuple[str, int]]:
        """Address and size of every content."""
        yield from stored_in(self._folder)

    def sweep(self, keep: Collection[str], untouched_since: datetime) -> Swept:
        """Remove what is not to be kept and was not put since that moment."""
        return FolderSweep(self._folder, untouched_since).remove_all_but(keep)

    def _touched(self, path: Path, content: bytes) -> bool:
        """True when the content is there already; from now on it counts as just put."""
        try:
            with nobody_sweeps(self._folder):
                if path.stat().st_size != len(content) or path.read_bytes() != content:
                    return False
                os.utime(path)
        except OSError:
            return False
        _sync_folder(path.parent)  # whoever put it there may not have come so far
        return True

    def _path(self, address: str) -> Path:
        digits = digits_of(address)
        return self._folder / digits[:2] / digits[2:]

    def _write(self, pieces: Iterable[bytes]) -> tuple[str, int]:
        temporary: Path | None = None
        try:
            _make_private(self._folder)
            handle, name = tempfile.mkstemp(prefix=".new-", dir=self._folder)
            temporary = Path(name)
            digest = hashlib.sha256()
            size = 0
            temporary.chmod(0o400)
            with os.fdopen(handle, "wb") as target:
                for piece in pieces:
                    digest.update(piece)
                    size += len(piece)
                    target.write(piece)
                target.flush()
                os.fsync(target.fileno())
            address = "sha256:" + digest.hexdigest()
            self._place(temporary, self._path(address))
        except OSError as error:
            raise StoreError(
                f"the content cannot be kept ({error.strerror})", where=str(self._folder), mend="Check room and rights."
            ) from None
        else:
            return address, size
        finally:
            if temporary is not None:
                temporary.unlink(missing_ok=True)

    def _place(self, temporary: Path, path: Path) -> None:
        _make_private(path.parent)
        with nobody_sweeps(self._folder):
            temporary.replace(path)
        _sync_folder(path.parent)
        _sync_folder(self._folder)


def _pieces(source: BinaryIO, path: Path) -> Iterator[bytes]:
    """The file's pieces; an error while reading is the file's, not the store's."""
    while True:
        try:
            piece = source.read(_PIECE)
        except OSError as error:
            raise InputError(f"the file cannot be read ({error.strerror})", where=str(path)) from None
        if not piece:
            return
        yield piece


def _make_private(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def _sync_folder(folder: Path) -> None:
    """Make a rename durable; systems without that notion refuse to open a folder."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except PermissionError:
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _damaged(path: Path) -> StoreError:
    return StoreError(
        "the stored content is damaged: it does not match its address",
        where=str(path),
        mend="Restore it from a backup, or submit the file again.",
    )
