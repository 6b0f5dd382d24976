"""A worker's word that it is ready."""

import os

import pytest

from workers.embedded.ready import READY, tell_ready


def test_the_word_is_written_and_the_pipe_closed() -> None:
    """The other end reads the line, then the end."""
    read_end, write_end = os.pipe()
    tell_ready(write_end)
    assert os.read(read_end, 64) == READY == b"ready\n"
    assert os.read(read_end, 64) == b""
    os.close(read_end)


def test_nobody_listens_any_more() -> None:
    """A worker that outlives its supervisor by a moment does not fail over this."""
    read_end, write_end = os.pipe()
    os.close(read_end)
    tell_ready(write_end)
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(write_end)
