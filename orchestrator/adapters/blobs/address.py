"""Addresses of blobs: `sha256:` and 64 hex digits."""

import hashlib
import re

from orchestrator.errors import StoreError

_ADDRESS = re.compile(r"sha256:([0-9a-f]{64})")


def address_of(content: bytes) -> str:
    """The address of a content."""
    return "sha256:" + hashlib.sha256(content).hexdigest()


def digits_of(address: str) -> str:
    """The hex digits of an address; what is no address names nothing, and never a path."""
    found = _ADDRESS.fullmatch(address)
    if found is None:
        raise missing(address)
    return found.group(1)


def missing(address: str) -> StoreError:
    """There is no such content; whoever asked did nothing wrong."""
    mend = "Restore it from a backup, or submit the file again; of many machines, all need the same REMIT_BLOBS."
    return StoreError("there is no such stored content", where=address, mend=mend)
