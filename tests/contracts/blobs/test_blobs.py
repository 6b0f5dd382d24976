"""Contract of blobs: what was put is got, whole or not at all."""

import hashlib
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from orchestrator.adapters.blobs import FolderBlobs, MemoryBlobs
from orchestrator.errors import InputError, StoreError
from orchestrator.ports.blobs import Blobs

MISSING = "sha256:" + "0" * 64


@pytest.fixture(params=["folder", "memory"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> Blobs:
    """Each adapter."""
    return FolderBlobs(tmp_path / "blobs") if request.param == "folder" else MemoryBlobs()


@pytest.mark.parametrize("content", [b"", b"x", "对账\x00".encode(), os.urandom(3_000_000)])
def test_what_was_put_is_got(blobs: Blobs, content: bytes) -> None:
    """Under the SHA-256 of its content; twice is once."""
    address = blobs.put(content)
    assert address == "sha256:" + hashlib.sha256(content).hexdigest()
    assert blobs.put(content) == address
    assert blobs.get(address) == content
    assert blobs.local(address).read_bytes() == content


def test_a_file_is_put_like_its_content(blobs: Blobs, tmp_path: Path) -> None:
    """Its size comes with the address; the file itself is left alone."""
    path = tmp_path / "数据.csv"
    content = b"a,b\n" * 800_000
    path.write_bytes(content)
    assert blobs.put_file(path) == (blobs.put(content), len(content))
    assert blobs.put_file(path) == (blobs.put(content), len(content))
    assert blobs.get(blobs.put_file(path)[0]) == content
    assert path.read_bytes() == content


def test_an_empty_file(blobs: Blobs, tmp_path: Path) -> None:
    """It has an address like any other."""
    path = tmp_path / "empty"
    path.touch()
    address, size = blobs.put_file(path)
    assert (address, size) == (blobs.put(b""), 0)
    assert blobs.get(address) == b""


@pytest.mark.parametrize(
    "address", [MISSING, "", "sha256:", "sha256:../../etc/passwd", "md5:" + "0" * 32, "sha256:" + "G" * 64, "0" * 64]
)
def test_what_is_not_there_is_not_found(blobs: Blobs, address: str) -> None:
    """Whatever the address looks like; one that is none never becomes a path."""
    calls: list[Callable[[str], object]] = [blobs.get, blobs.local]
    for read in calls:
        with pytest.raises(StoreError, match="no such stored content"):
            read(address)


def test_a_path_that_is_no_file(blobs: Blobs, tmp_path: Path) -> None:
    """A missing file and a folder are the caller's mistakes."""
    with pytest.raises(InputError, match="there is no such file"):
        blobs.put_file(tmp_path / "none.csv")
    with pytest.raises(InputError, match="this is a folder"):
        blobs.put_file(tmp_path)


def test_the_same_content_from_many_threads(blobs: Blobs) -> None:
    """All get the same address and the content stays whole."""
    content = os.urandom(200_000)
    with ThreadPoolExecutor(8) as pool:
        addresses = set(pool.map(blobs.put, [content] * 32))
    assert len(addresses) == 1
    assert blobs.get(addresses.pop()) == content
