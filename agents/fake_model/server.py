"""Speaks HTTP/1.1 for a scripted model: keep-alive, many connections on one loop, and the faults of a network."""

import asyncio
import contextlib
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import h11
import orjson

from agents.fake_model.answering import Answering, Outcome
from agents.fake_model.replies import error_body

MOST_BYTES = 64 * 1024 * 1024
"""A larger request is refused."""
_PIECE = 65_536
_DRIPS = 20


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request as it came, and what was answered."""

    at: float
    """Monotonic seconds."""
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    outcome: Outcome
    peer: int
    """The port it came from: requests of one connection share it."""

    def json(self) -> Any:
        """The request's body, decoded."""
        return orjson.loads(self.body)


OnExchange = Callable[[Exchange], None]


class Server:
    """A scripted model on one address; lives in the event loop that started it."""

    def __init__(self, answering: Answering, on_exchange: OnExchange) -> None:
        self._answering = answering
        self._on_exchange = on_exchange
        self._connections: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def start(self, host: str, port: int) -> int:
        """Listen; returns the port. Raises OSError."""
        self._server = await asyncio.start_server(self._accepted, host, port, backlog=4096, limit=_PIECE)
        return self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Close the address and every connection."""
        if self._server is not None:
            self._server.close()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        if self._server is not None:
            await self._server.wait_closed()

    async def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = asyncio.current_task()
        assert connection is not None
        self._connections.add(connection)
        try:
            await _Connection(reader, writer, self._answering, self._on_exchange).serve()
        except (ConnectionError, asyncio.CancelledError):
            writer.transport.abort()
        finally:
            self._connections.discard(connection)
            writer.close()
            with contextlib.suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()


class _Connection:
    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        answering: Answering,
        on_exchange: OnExchange,
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._answering = answering
        self._on_exchange = on_exchange
        self._http = h11.Connection(h11.SERVER)
        channel: socket.socket = writer.get_extra_info("socket")
        self._peer: int = writer.get_extra_info("peername")[1]
        channel.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    async def serve(self) -> None:
        """Answer requests until either side closes the connection."""
        while True:
            try:
                request = await self._request()
            except h11.RemoteProtocolError as error:
                await self._refuse(error.error_status_hint, str(error))
                return
            if request is None:
                return
            await self._answer(*request)
            if self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
                return
            self._http.start_next_cycle()

    async def _request(self) -> tuple[h11.Request, bytes] | None:
        request: h11.Request | None = None
        pieces: list[bytes] = []
        size = 0
        while True:
            event = self._http.next_event()
            if event is h11.NEED_DATA:
                if self._http.they_are_waiting_for_100_continue:
                    self._write(self._http.send(h11.InformationalResponse(status_code=100, headers=[])))
                self._http.receive_data(await self._reader.read(_PIECE))
            elif isinstance(event, h11.Request):
                request = event
            elif isinstance(event, h11.Data):
                pieces.append(bytes(event.data))
                size += len(event.data)
                if size > MOST_BYTES:
                    raise h11.RemoteProtocolError("the request is too large", error_status_hint=413)
            elif isinstance(event, h11.EndOfMessage) and request is not None:
                return request, b"".join(pieces)
            else:
                return None

    async def _answer(self, request: h11.Request, body: bytes) -> None:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in request.headers}
        method, path = request.method.decode(), request.target.decode("latin-1")
        outcome = self._answering.answer(method, path, headers, body)
        self._on_exchange(Exchange(time.monotonic(), method, path, headers, body, outcome, self._peer))
        if outcome.latency:
            await asyncio.sleep(outcome.latency)
        kind = outcome.disturbed.kind if outcome.disturbed else None
        if kind == "timeout":
            await self._keep_silent(outcome)
        elif kind == "reset":
            self._writer.transport.abort()
            raise ConnectionResetError
        else:
            await self._send(outcome)

    async def _keep_silent(self, outcome: Outcome) -> None:
        """Answer nothing until the caller gives up."""
        assert outcome.disturbed is not None
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._reader.read(1), outcome.disturbed.seconds)
        raise ConnectionResetError

    async def _send(self, outcome: Outcome) -> None:
        headers = [("content-type", outcome.content_type), ("x-request-id", f"req-{outcome.request}"), *outcome.headers]
        size = sum(len(piece) for piece in outcome.pieces)
        headers.append(("transfer-encoding", "chunked") if outcome.streamed else ("content-length", str(size)))
        head = self._http.send(h11.Response(status_code=outcome.status, headers=headers)) or b""
        if outcome.disturbed is None:
            body = b"".join(self._data(piece) for piece in outcome.pieces)
            self._write(head + body + (self._http.send(h11.EndOfMessage()) or b""))
            await self._writer.drain()
            return
        self._write(head)
        if outcome.disturbed.kind == "cut":
            whole = b"".join(outcome.pieces)
            self._write(self._data(whole[: len(whole) // 2]))
            await self._writer.drain()
            self._writer.close()
            raise ConnectionResetError
        await self._drip(b"".join(outcome.pieces), outcome.disturbed.seconds)

    async def _drip(self, whole: bytes, seconds: float) -> None:
        step = max(1, -(-len(whole) // _DRIPS))
        for start in range(0, len(whole), step):
            self._write(self._data(whole[start : start + step]))
            await self._writer.drain()
            await asyncio.sleep(seconds / _DRIPS)
        self._write(self._http.send(h11.EndOfMessage()))

    async def _refuse(self, status: int, message: str) -> None:
        if self._http.our_state not in {h11.IDLE, h11.SEND_RESPONSE}:
            return
        body = error_body(message, "invalid_request_error")
        headers = [("content-type", "application/json"), ("content-length", str(len(body))), ("connection", "close")]
        self._write(self._http.send(h11.Response(status_code=status, headers=headers)))
        self._write(self._data(body) + (self._http.send(h11.EndOfMessage()) or b""))
        await self._writer.drain()

    def _data(self, piece: bytes) -> bytes:
        return self._http.send(h11.Data(data=piece)) or b""

    def _write(self, data: bytes | None) -> None:
        if data:
            self._writer.write(data)
