"""The folder of blobs: rights, damage, and what a crash may leave behind."""

import os
import sys
from pathlib import Path

import pytest

from orchestrator.adapters.blobs import FolderBlobs
from orchestrator.errors import InputError, StoreError


@pytest.fixture
def blobs(tmp_path: Path) -> FolderBlobs:
    """Blobs in a folder that does not exist yet."""
    return FolderBlobs(tmp_path / "deep" / "blobs")


def test_only_the_owner_may_read(blobs: FolderBlobs, tmp_path: Path) -> None:
    """Folders are 0700, files 0400, whatever the mask; nothing else is left but the lock of those who sweep."""
    before = os.umask(0)
    try:
        path = blobs.local(blobs.put(b"secret"))
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o400
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "deep" / "blobs").stat().st_mode & 0o777 == 0o700
    lock = tmp_path / "deep" / "blobs" / ".lock"
    assert lock.stat().st_mode & 0o777 == 0o600
    assert {one for one in (tmp_path / "deep").rglob("*") if one.is_file()} == {path, lock}


def test_damage_is_noticed_and_mended_by_putting_it_again(blobs: FolderBlobs) -> None:
    """A changed byte or a cut file is never handed out as the content."""
    address = blobs.put(b"content")
    path = blobs.local(address)
    for damaged in (b"c0ntent", b"conten", b""):
        path.chmod(0o600)
        path.write_bytes(damaged)
        with pytest.raises(StoreError, match="damaged"):
            blobs.get(address)
        with pytest.raises(StoreError, match="damaged"):
            blobs.local(address)
        assert blobs.put(b"content") == address
        assert blobs.get(address) == b"content"


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """One line says where and why."""
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="the content cannot be kept") as caught:
        FolderBlobs(tmp_path / "file" / "blobs").put(b"x")
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(sys.platform != "linux", reason="needs a file whose reading fails")
def test_a_file_whose_reading_fails(blobs: FolderBlobs, tmp_path: Path) -> None:
    """It is the file's fault, said in one line, and nothing is left in the store."""
    with pytest.raises(InputError, match="the file cannot be read"):
        blobs.put_file(Path("/proc/self/mem"))
    assert [one for one in (tmp_path / "deep").rglob("*") if one.is_file()] == []
