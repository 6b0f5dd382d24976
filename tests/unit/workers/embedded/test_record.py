"""The note by which a supervisor is found."""

import json
import os
from pathlib import Path

import pytest

from workers.embedded.record import Record, read_record, remove_record, write_record


def test_a_note_is_read_as_written(tmp_path: Path) -> None:
    """It names this process and its socket, with any characters in the path."""
    socket = Path("/tmp/a b/对账/\udce9.sock")
    write_record(tmp_path, socket)
    assert read_record(tmp_path) == Record(os.getpid(), socket)
    assert [path.name for path in tmp_path.iterdir()] == ["supervisor.json"]


@pytest.mark.parametrize("content", [b"", b"{}", b"null", b"[1]", b"\xff", b'{"pid": "x", "control_socket": "/a"}'])
def test_rubbish_is_no_note(tmp_path: Path, content: bytes) -> None:
    """As good as none, never an error."""
    (tmp_path / "supervisor.json").write_bytes(content)
    assert read_record(tmp_path) is None


def test_only_ones_own_note_is_taken_away(tmp_path: Path) -> None:
    """The next supervisor may have written its note already."""
    path = tmp_path / "supervisor.json"
    path.write_text(json.dumps({"pid": os.getpid() + 1, "control_socket": "/a"}), encoding="utf-8")
    remove_record(tmp_path)
    assert path.exists()
    write_record(tmp_path, Path("/b"))
    remove_record(tmp_path)
    assert not path.exists()
    remove_record(tmp_path)
