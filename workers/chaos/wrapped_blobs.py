"""A blob store that breaks before and after it stores something, and before it reads."""

from pathlib import Path

from orchestrator.errors import StoreError
from orchestrator.ports.blobs import Blobs
from workers.chaos.faults import Faults


class DisturbedBlobs:
    """The same blobs, with faults around what is stored and before what is read."""

    def __init__(self, inner: Blobs, faults: Faults) -> None:
        self._inner = inner
        self._faults = faults

    def put(self, content: bytes) -> str:
        """Keep the content, or break."""
        self._meet("blob.before")
        address = self._inner.put(content)
        self._meet("blob.after")
        return address

    def put_file(self, path: Path) -> tuple[str, int]:
        """Keep a file's content, or break."""
        self._meet("blob.before")
        kept = self._inner.put_file(path)
        self._meet("blob.after")
        return kept

    def get(self, address: str) -> bytes:
        """The content, or break."""
        self._meet("blob.read")
        return self._inner.get(address)

    def local(self, address: str) -> Path:
        """A local file with the content, or break."""
        self._meet("blob.read")
        return self._inner.local(address)

    def _meet(self, name: str) -> None:
        if self._faults.meet(name) == "error":
            raise StoreError("chaos: the blob store failed", where=name)
