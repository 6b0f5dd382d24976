"""The supervisor's socket: who holds the services, and what they ask."""

import selectors
import socket
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from workers.embedded.protocol import LONGEST_LINE, ProtocolError, Reply, Request, decode_request, encode

_BACKLOG = 128


@dataclass(slots=True, eq=False)
class Holder:
    """One connection of a command; it holds the services until it ends or says that it leaves."""

    link: socket.socket
    unread: bytes = b""
    left: bool = False


class Control:
    """Accepts connections, cuts their bytes into requests and hands each to `on_request`."""

    def __init__(
        self,
        path: Path,
        selector: selectors.BaseSelector,
        on_request: Callable[[Holder, Request], None],
        say: Callable[[str], None],
    ) -> None:
        """Listen on `path`; the caller holds the lock that makes a socket found there a stale one."""
        self._path = path
        self._selector = selector
        self._on_request = on_request
        self._say = say
        self._holders: list[Holder] = []
        path.unlink(missing_ok=True)
        self._listener: socket.socket | None = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.settimeout(0.0)
        self._listener.bind(str(path))
        self._identity = self._seen()
        self._listener.listen(_BACKLOG)
        selector.register(self._listener, selectors.EVENT_READ, self.accept)

    @property
    def held(self) -> bool:
        """True while a command needs the services."""
        return any(not holder.left for holder in self._holders)

    def has(self, holder: Holder) -> bool:
        """True while this connection stands."""
        return holder in self._holders

    def adopt(self, link: socket.socket, unread: bytes = b"") -> None:
        """Take over a connection that stands already, and what was read from it."""
        link.settimeout(0.0)
        holder = Holder(link, unread)
        self._holders.append(holder)
        self._selector.register(link, selectors.EVENT_READ, partial(self._read, holder))
        self._hand_on(holder)

    def accept(self) -> None:
        """Take every connection that waits."""
        while self._listener is not None:
            try:
                link, _ = self._listener.accept()
            except BlockingIOError:
                return
            except OSError as error:
                # For instance too many open files; those who wait are taken when some have left.
                self._say(f"a connection could not be accepted: {error.strerror}")
                return
            self.adopt(link)

    def reachable(self) -> bool:
        """False when somebody removed or replaced the socket's file: no new command can find us."""
        return self._seen() == self._identity

    def reply(self, holder: Holder, reply: Reply) -> None:
        """Send a reply; a command that asks without reading is cut off."""
        message = encode(reply)
        try:
            sent = holder.link.send(message)
        except OSError:
            sent = 0
        if sent < len(message):
            self._drop(holder)

    def close_listener(self) -> None:
        """Take no more connections; those that were not taken are told by the kernel."""
        if self._listener is None:
            return
        if self.reachable():
            self._path.unlink()
        self._selector.unregister(self._listener)
        self._listener.close()
        self._listener = None

    def close(self) -> None:
        """End every connection."""
        self.close_listener()
        for holder in list(self._holders):
            self._drop(holder)

    def _read(self, holder: Holder) -> None:
        try:
            data = holder.link.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._drop(holder)
            return
        holder.unread += data
        self._hand_on(holder)

    def _hand_on(self, holder: Holder) -> None:
        *lines, holder.unread = holder.unread.split(b"\n")
        try:
            for line in lines:
                self._on_request(holder, decode_request(line))
            if len(holder.unread) > LONGEST_LINE:
                raise ProtocolError("the line does not end")
        except ProtocolError as error:
            self._say(f"a connection was cut: {error}")
            self._drop(holder)

    def _drop(self, holder: Holder) -> None:
        if holder in self._holders:
            self._holders.remove(holder)
            self._selector.unregister(holder.link)
            holder.link.close()

    def _seen(self) -> tuple[int, int] | None:
        try:
            found = self._path.lstat()
        except OSError:
            return None
        return found.st_dev, found.st_ino
