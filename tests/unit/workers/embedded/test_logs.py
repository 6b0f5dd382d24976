"""Logs are appended to, kept short, and read at their end."""

import os
from pathlib import Path

from workers.embedded.logs import cap, last_line, open_log, size_of


def test_a_log_is_appended_to_and_private(tmp_path: Path) -> None:
    """What earlier services wrote stays."""
    path = tmp_path / "a.log"
    for text in (b"one\n", b"two\n"):
        fd = open_log(path)
        os.write(fd, text)
        os.close(fd)
    assert path.read_bytes() == b"one\ntwo\n"
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_log_over_its_limit_moves_while_it_is_written(tmp_path: Path) -> None:
    """A service that holds the file open goes on writing to the same, now short, file."""
    path = tmp_path / "a.log"
    fd = open_log(path)
    os.write(fd, b"x" * 100)
    cap(path, limit=100)
    assert size_of(path) == 100
    os.write(fd, b"y\n")
    cap(path, limit=100)
    os.write(fd, b"after\n")
    os.close(fd)
    assert path.read_bytes() == b"after\n"
    assert (tmp_path / "a.log.1").read_bytes() == b"x" * 100 + b"y\n"


def test_a_log_that_is_not_there(tmp_path: Path) -> None:
    """It has no size, no last line, and needs no cap."""
    path = tmp_path / "a.log"
    cap(path)
    assert size_of(path) == 0
    assert last_line(path) is None


def test_the_last_line(tmp_path: Path) -> None:
    """Empty lines are passed over, and so is what an earlier process wrote."""
    path = tmp_path / "a.log"
    path.write_text("old\n", encoding="utf-8")
    start = size_of(path)
    assert last_line(path) == "old"
    assert last_line(path, start) is None
    with path.open("a", encoding="utf-8") as file:
        file.write("first\n  错误: no such file  \n\n \n")
    assert last_line(path, start) == "错误: no such file"


def test_the_last_line_after_the_log_was_cut(tmp_path: Path) -> None:
    """A start beyond the file's end means that the file began anew."""
    path = tmp_path / "a.log"
    path.write_text("new\n", encoding="utf-8")
    assert last_line(path, 5_000_000) == "new"


def test_a_line_that_is_long_or_no_text(tmp_path: Path) -> None:
    """It is cut to what a person reads, and never fails."""
    path = tmp_path / "a.log"
    path.write_bytes(b"\xff" + b"z" * 20_000)
    line = last_line(path)
    assert line is not None
    assert len(line) == 301
    assert line.endswith("z…")
