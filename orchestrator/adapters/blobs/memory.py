"""Blobs in memory, for tests and tries; files that are asked for stand in a folder that goes with the store."""

import shutil
import tempfile
import weakref
from functools import cached_property
from pathlib import Path

from orchestrator.adapters.blobs.address import address_of, digits_of, missing
from orchestrator.adapters.blobs.folder import FolderBlobs


class MemoryBlobs:
    """Contents in a dictionary."""

    def __init__(self) -> None:
        self._contents: dict[str, bytes] = {}

    def put(self, content: bytes) -> str:
        """Keep the content and return its address."""
        address = address_of(content)
        self._contents[address] = content
        return address

    def put_file(self, path: Path) -> tuple[str, int]:
        """Keep a file's content; its address and size."""
        address, size = self._files.put_file(path)
        self._contents[address] = self._files.get(address)
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

    @cached_property
    def _files(self) -> FolderBlobs:
        folder = Path(tempfile.mkdtemp(prefix="remit-blobs-"))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return FolderBlobs(folder)
