"""Frames between a worker and a child: whole or an error, however the bytes arrive."""

import socket
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.isolation.frames import LARGEST_BODY, Frame, FrameError, Unpacking, packed, receive

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
FRAMES = st.builds(Frame, st.dictionaries(TEXT, TEXT | st.integers() | st.none(), max_size=4), st.binary(max_size=200))


@given(st.lists(FRAMES, max_size=5), st.integers(1, 50))
def test_frames_arrive_as_they_were_sent(frames: list[Frame], step: int) -> None:
    """Cut into pieces of any size, the same frames come out in the same order."""
    stream = b"".join(packed(frame) for frame in frames)
    unpacking = Unpacking()
    pieces = [stream[at : at + step] for at in range(0, len(stream), step)]
    assert [frame for piece in pieces for frame in unpacking.feed(piece)] == frames


def test_receives_a_frame_from_a_socket() -> None:
    """The blocking side reads the same frame."""
    one, other = socket.socketpair()
    with one, other:
        frame = Frame({"kind": "result", "summary": "上海"}, b"\x00" * 1000)
        one.sendall(packed(frame))
        assert receive(other) == frame


def test_a_closed_channel_is_an_error() -> None:
    """Half a frame is none."""
    one, other = socket.socketpair()
    with other:
        with one:
            one.sendall(packed(Frame({"kind": "result"}, b"12345"))[:-2])
        with pytest.raises(FrameError, match="closed the channel"):
            receive(other)


def test_a_frame_that_claims_too_much_is_refused() -> None:
    """A child cannot make its worker set aside any amount of memory."""
    claim = struct.pack(">IQ", 2, LARGEST_BODY + 1) + b"{}"
    with pytest.raises(FrameError, match="was announced"):
        list(Unpacking().feed(claim))
    one, other = socket.socketpair()
    with one, other:
        one.sendall(claim)
        with pytest.raises(FrameError, match="was announced"):
            receive(other)
