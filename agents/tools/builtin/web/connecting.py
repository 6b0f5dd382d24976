"""Connects to checked addresses only: the name is resolved once, and the connection goes to what was checked."""

import socket
from collections.abc import Iterable
from ipaddress import ip_address

from httpcore2 import SOCKET_OPTION, ConnectError, ConnectTimeout, NetworkBackend, NetworkStream, SyncBackend

from agents.tools.builtin.web.reach import Address, Reach


class RefusedError(Exception):
    """A host that may not be reached, or whose name leads to no address that may be."""


class UnknownHostError(Exception):
    """A name that leads nowhere."""


class CheckedBackend(NetworkBackend):
    """Makes connections for an HTTP client. A name cannot lead elsewhere between the check and the connection."""

    def __init__(self, reach: Reach) -> None:
        self._reach = reach
        self._plain = SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[SOCKET_OPTION] | None = None,
    ) -> NetworkStream:
        """A connection to the first address of the host that may be reached and answers."""
        failed: Exception | None = None
        for address in self._checked(host, port):
            try:
                return self._plain.connect_tcp(str(address), port, timeout, local_address, socket_options)
            except (ConnectError, ConnectTimeout) as error:
                failed = error
        assert failed is not None
        raise failed

    def _checked(self, host: str, port: int) -> list[Address]:
        if not self._reach.allows_host(host):
            raise RefusedError(f"`{host}` is none of the hosts that may be reached")
        addresses = _resolved(host, port)
        allowed = [address for address in addresses if self._reach.allows(host, address)]
        if not allowed:
            raise RefusedError(f"`{host}` leads to {addresses[0]}, which is no public address")
        return allowed


def _resolved(host: str, port: int) -> list[Address]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError, ValueError) as error:
        raise UnknownHostError(f"there is no host `{host}`") from error
    return list(dict.fromkeys(ip_address(str(info[4][0]).partition("%")[0]) for info in found))
