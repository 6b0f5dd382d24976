"""Blobs in memory, for tests and tries; files that are asked for stand in a folder that goes with the store."""

import shutil
import tempfile
import weakref
from collections.abc import Collection, Iterator
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from orchestrator.adapters.blobs.address import address_of, digits_of, missing
from orchestrator.adapters.blobs.folder import FolderBlobs
from orchestrator.ports.care import Swept


class MemoryBlobs:
    """Contents in a dictionary."""

    def __init__(self) -> None:
        self._contents: dict[str, bytes] = {}
        self._touched: dict[str, datetime] = {}

    @property
    def where(self) -> str:
        """Nowhere else."""
        return "memory"

    def put(self, content: bytes) -> str:
        """Keep the content and return its address."""
        address = address_of(content)
        self._contents[address] = content
        self._touched[address] = datetime.now(UTC)
        return address

    def put_file(self, path: Path) -> tuple[str, int]:
        """Keep a file's content; its address and size."""
        address, size = self._files.put_file(path)
        self.put(self._files.get(address))
        return address, size

    def get(self, address: str) -> bytes:
        """The content."""
        digits_of(address)
        if address not in self._contents:
            raise missing(address)
        return self._contents[address]

    def local(self, address: str) -> Path:
        """A file with the content."""
        return self._files.local(self._files.put(self.get(address)))

    def stored(self) -> Iterator[tuple[str, int]]:
        """Address and size of every content."""
        yield from [(address, len(content)) for address, content in self._contents.items()]

    def sweep(self, keep: Collection[str], untouched_since: datetime) -> Swept:
        """Remove what is not to be kept and was not put since that moment."""
        gone = [one for one, touched in self._touched.items() if one not in keep and touched < untouched_since]
        size = sum(len(self._contents.pop(address)) for address in gone)
        for address in gone:
            del self._touched[address]
        return Swept(len(gone), size)

    @cached_property
    def _files(self) -> FolderBlobs:
        folder = Path(tempfile.mkdtemp(prefix="remit-blobs-"))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return FolderBlobs(folder)
