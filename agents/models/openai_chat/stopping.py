"""Lets go of a call of a model once nobody wants its reply: the thread that waits for it looks up now and then."""

import ssl
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import httpcore2

from orchestrator.ports.clock import LOOK_SECONDS, Stopped

UNWANTED = "nobody wants the reply any more"
_STOPPED: ContextVar[Stopped] = ContextVar("unwanted", default=None)


@contextmanager
def stopped_by(unwanted: Stopped) -> Generator[None]:
    """For the block, reading in this thread fails with httpcore2.ReadError soon after `unwanted` says so."""
    token = _STOPPED.set(unwanted)
    try:
        yield
    finally:
        _STOPPED.reset(token)


class StoppableBackend(httpcore2.NetworkBackend):
    """Connections whose reads can be stopped."""

    def __init__(self) -> None:
        self._inner = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        """Connect; this takes some seconds at most, and is not stopped."""
        return _Stoppable(self._inner.connect_tcp(host, port, timeout, local_address, socket_options))


class _Stoppable(httpcore2.NetworkStream):
    def __init__(self, inner: httpcore2.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        unwanted = _STOPPED.get()
        if unwanted is None:
            return self._inner.read(max_bytes, timeout)
        until = None if timeout is None else time.monotonic() + timeout
        while not unwanted():
            left = LOOK_SECONDS if until is None else until - time.monotonic()
            try:
                return self._inner.read(max_bytes, min(LOOK_SECONDS, max(left, 0.001)))
            except httpcore2.ReadTimeout:
                if left <= LOOK_SECONDS and until is not None:
                    raise
        raise httpcore2.ReadError(UNWANTED)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, timeout)

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        return _Stoppable(self._inner.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)
