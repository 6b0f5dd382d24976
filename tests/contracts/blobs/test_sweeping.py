"""Contract of sweeping: what nobody keeps goes, and what was just put stays, whoever looks for it."""

import os
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from orchestrator.adapters.blobs import FolderBlobs, MemoryBlobs
from orchestrator.errors import StoreError
from orchestrator.ports.care import KeptBlobs, Swept

HOUR = timedelta(hours=1)


def later() -> datetime:
    """A moment after all that was put."""
    return datetime.now(UTC) + HOUR


@pytest.fixture(params=["folder", "memory"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> KeptBlobs:
    """Each adapter."""
    return FolderBlobs(tmp_path / "blobs") if request.param == "folder" else MemoryBlobs()


def test_what_is_not_kept_goes(blobs: KeptBlobs) -> None:
    """With its size; the rest is as it was."""
    kept, gone = blobs.put(b"kept"), blobs.put(b"gone!")
    assert dict(blobs.stored()) == {kept: 4, gone: 5}
    assert blobs.sweep({kept}, later()) == Swept(contents=1, size=5)
    assert dict(blobs.stored()) == {kept: 4}
    assert blobs.get(kept) == b"kept"
    with pytest.raises(StoreError, match="no such stored content"):
        blobs.get(gone)
    assert blobs.sweep({kept}, later()) == Swept()


def test_what_was_put_lately_stays(blobs: KeptBlobs) -> None:
    """Whoever put it has not come so far as to say what for."""
    address = blobs.put(b"new")
    assert blobs.sweep(set(), datetime.now(UTC) - HOUR) == Swept()
    assert blobs.get(address) == b"new"


def test_nothing_at_all(blobs: KeptBlobs) -> None:
    """A store that was never used can be swept."""
    assert list(blobs.stored()) == []
    assert blobs.sweep(set(), later()) == Swept()


def age(folder: Path, by: timedelta) -> Callable[[str], None]:
    """Makes a content look as if it had been put some time ago."""

    def make(address: str) -> None:
        digits = address.removeprefix("sha256:")
        moment = (datetime.now(UTC) - by).timestamp()
        os.utime(folder / digits[:2] / digits[2:], (moment, moment))

    return make


def test_putting_it_again_makes_it_new(tmp_path: Path) -> None:
    """As bytes or as a file: an old content that somebody is about to refer to again is not taken from him."""
    blobs = FolderBlobs(tmp_path / "blobs")
    make_old = age(tmp_path / "blobs", 3 * HOUR)
    file = tmp_path / "file"
    file.write_bytes(b"as a file")
    bytes_, as_file, old = blobs.put(b"as bytes"), blobs.put_file(file)[0], blobs.put(b"old")
    for address in (bytes_, as_file, old):
        make_old(address)
    blobs.put(b"as bytes")
    blobs.put_file(file)
    assert blobs.sweep(set(), datetime.now(UTC) - HOUR) == Swept(contents=1, size=3)
    assert set(dict(blobs.stored())) == {bytes_, as_file}


def test_writes_that_were_never_finished_go_too(tmp_path: Path) -> None:
    """A killed process leaves one; one that is being written now stays."""
    blobs = FolderBlobs(tmp_path / "blobs")
    address = blobs.put(b"kept")
    dead, alive = tmp_path / "blobs" / ".new-dead", tmp_path / "blobs" / ".new-alive"
    for path in (dead, alive):
        path.write_bytes(b"half")
    moment = (datetime.now(UTC) - 3 * HOUR).timestamp()
    os.utime(dead, (moment, moment))
    assert blobs.sweep({address}, datetime.now(UTC) - HOUR) == Swept(contents=0, size=4)
    assert (dead.exists(), alive.exists()) == (False, True)


def test_a_sweep_and_those_who_put_never_lose_a_content(tmp_path: Path) -> None:
    """Sweeping old contents over and over while the same are put again: after each put it is there."""
    blobs = FolderBlobs(tmp_path / "blobs")
    make_old = age(tmp_path / "blobs", 3 * HOUR)
    ended = threading.Event()

    def sweep() -> None:
        while not ended.is_set():
            blobs.sweep(set(), datetime.now(UTC) - HOUR)

    sweeper = threading.Thread(target=sweep)
    sweeper.start()
    try:
        for _ in range(200):
            address = blobs.put(b"wanted")
            assert blobs.get(address) == b"wanted"
            make_old(address)
    finally:
        ended.set()
        sweeper.join()
