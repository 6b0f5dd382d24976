"""Messages between a worker and a child: a JSON header and a body of bytes, with their lengths in front."""

import json
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from socket import socket
from typing import Any

LARGEST_HEADER = 4_000_000
LARGEST_BODY = 200_000_000
"""A result's data, what is shown of it and its files are each limited below this; more is no result of ours."""
CHUNK = 1 << 18

_LENGTHS = struct.Struct(">IQ")


class FrameError(Exception):
    """The other side sent something that is no frame, or stopped in the middle of one."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One message."""

    header: Mapping[str, Any]
    body: bytes = b""

    @property
    def kind(self) -> str:
        """What the message is."""
        return self.header["kind"]


def packed(frame: Frame) -> bytes:
    """The frame as bytes."""
    header = json.dumps(frame.header, ensure_ascii=False).encode("utf-8", "replace")
    return _LENGTHS.pack(len(header), len(frame.body)) + header + frame.body


class Unpacking:
    """Puts frames together from bytes as they arrive."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def feed(self, received: bytes) -> Iterator[Frame]:
        """The frames that are whole now. Raises FrameError."""
        self._bytes += received
        while (frame := self._first()) is not None:
            yield frame

    def _first(self) -> Frame | None:
        if len(self._bytes) < _LENGTHS.size:
            return None
        header, body = _LENGTHS.unpack_from(self._bytes)
        if header > LARGEST_HEADER or body > LARGEST_BODY:
            raise FrameError(f"a frame of {header + body:,} bytes was announced")
        end = _LENGTHS.size + header + body
        if len(self._bytes) < end:
            return None
        start = _LENGTHS.size + header
        read = Frame(json.loads(self._bytes[_LENGTHS.size : start]), bytes(self._bytes[start:end]))
        del self._bytes[:end]
        return read


def receive(channel: socket) -> Frame:
    """The next frame, as soon as it is whole. Raises FrameError when the other side is gone."""
    lengths = _exactly(channel, _LENGTHS.size)
    header, body = _LENGTHS.unpack(lengths)
    if header > LARGEST_HEADER or body > LARGEST_BODY:
        raise FrameError(f"a frame of {header + body:,} bytes was announced")
    return Frame(json.loads(_exactly(channel, header)), bytes(_exactly(channel, body)))


def _exactly(channel: socket, size: int) -> bytearray:
    received = bytearray()
    while len(received) < size:
        piece = channel.recv(min(CHUNK, size - len(received)))
        if not piece:
            raise FrameError("the other side has closed the channel")
        received += piece
    return received
