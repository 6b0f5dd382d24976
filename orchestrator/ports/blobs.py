"""The port of large contents: inputs, long observations and artifacts, addressed by their SHA-256."""

from pathlib import Path
from typing import Protocol

LARGE = 64 * 1024
"""Contents above this many bytes stand in a blob, not in SQL."""


class Blobs(Protocol):
    """A content-addressed store; putting the same content twice is harmless."""

    def put(self, content: bytes) -> str:
        """Keep the content durably and return its address, `sha256:<64 hex digits>`. Raises StoreError."""
        ...

    def put_file(self, path: Path) -> tuple[str, int]:
        """Keep a file's content without reading it whole into memory; its address and size. Raises InputError."""
        ...

    def get(self, address: str) -> bytes:
        """The content. Raises StoreError when there is none, or it is damaged."""
        ...

    def local(self, address: str) -> Path:
        """A local, read-only file with the content. Raises StoreError."""
        ...
