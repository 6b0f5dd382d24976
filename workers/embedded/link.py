"""A command's end of the connection to the supervisor."""

import socket
from collections.abc import Mapping
from pathlib import Path

from orchestrator.ports.clock import Deadline
from workers.embedded.protocol import LONGEST_LINE, Ask, Reply, Request, decode_reply, encode


class LinkClosedError(Exception):
    """The supervisor ended, or is about to."""


class Link:
    """Asks and waits for the reply; used by one thread at a time."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._unread = b""
        self._asked = 0

    @classmethod
    def to(cls, path: Path) -> "Link | None":
        """A connection to the socket, or None when nobody listens there."""
        connected = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connected.settimeout(1.0)
        try:
            connected.connect(str(path))
        except OSError:
            connected.close()
            return None
        return cls(connected)

    def ask(self, ask: Ask, deadline: Deadline, watched: Mapping[str, str] | None = None) -> Reply:
        """Ask and wait. Raises LinkClosedError, TimeoutError, or ProtocolError."""
        self._asked += 1
        self.send(encode(Request(self._asked, ask, watched or {})), deadline)
        while True:
            reply = decode_reply(self._line(deadline))
            # The reply to a question that was given up may still come; it is passed over.
            if reply.number == self._asked:
                return reply

    def send(self, data: bytes, deadline: Deadline) -> None:
        """Send bytes as they are. Raises LinkClosedError or TimeoutError."""
        self._limit(deadline)
        try:
            self._socket.sendall(data)
        except TimeoutError:
            raise
        except OSError:
            raise LinkClosedError from None

    def alive(self) -> bool:
        """False once the supervisor has closed its end."""
        self._socket.settimeout(0.0)
        while True:
            try:
                data = self._socket.recv(65536)
            except BlockingIOError:
                return True
            except OSError:
                return False
            if not data:
                return False
            self._unread += data

    def close(self) -> None:
        """Let go of the services."""
        self._socket.close()

    def _line(self, deadline: Deadline) -> bytes:
        while b"\n" not in self._unread:
            self._limit(deadline)
            try:
                data = self._socket.recv(LONGEST_LINE)
            except TimeoutError:
                raise
            except OSError:
                data = b""
            if not data:
                raise LinkClosedError
            self._unread += data
        line, _, self._unread = self._unread.partition(b"\n")
        return line

    def _limit(self, deadline: Deadline) -> None:
        # A limit of zero would mean "do not block" and say so with another error.
        self._socket.settimeout(max(0.001, deadline.left()))
