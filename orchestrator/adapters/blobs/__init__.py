"""The blob store over a folder, and one in memory."""

from orchestrator.adapters.blobs.folder import FolderBlobs
from orchestrator.adapters.blobs.memory import MemoryBlobs

__all__ = ["FolderBlobs", "MemoryBlobs"]
