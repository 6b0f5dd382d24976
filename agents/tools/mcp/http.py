"""The way to a server at an address; what goes wrong below MCP comes back as an MCP error that says what it was."""

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any, Literal, cast

import httpx2
from mcp.client.streamable_http import streamable_http_client
from mcp.types import INTERNAL_ERROR

from agents.tools.mcp.declared import McpServer
from agents.tools.mcp.link import TransportStreams
from agents.tools.mcp.variables import filled

Mishap = Literal["not_sent", "rejected", "session_ended", "unknown"]
"""What became of a request: it never left, the server turned it away (perhaps a new session helps), or nobody knows."""

MISHAP = "remit_mishap"
_LARGEST_EVENT = 80_000_000
_LARGEST_ERROR = 64_000
_CONNECT_SECONDS = 10.0
_SESSION = "mcp-session-id"
_NEVER_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.UnsupportedProtocol)
_TURNED_AWAY = frozenset({400, 401, 403, 404, 405, 406, 407, 413, 415, 429})


class HttpLink:
    """Connects to the declared address; an operator chose it, so it may be a private one."""

    def __init__(self, server: McpServer, variables: Mapping[str, str]) -> None:
        """Raises TeamError for a variable that is not set."""
        self._url = filled(server.url or "", variables)
        self._headers = {name: filled(value, variables) for name, value in server.headers.items()}

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[TransportStreams]:
        """Open a connection pool for one session."""
        # How long an answer may take is the call's affair; how many calls there are at once, the worker's.
        timeout = httpx2.Timeout(_CONNECT_SECONDS, read=None, pool=None)
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=20)
        async with (
            _Telling(headers=self._headers, timeout=timeout, limits=limits) as client,
            streamable_http_client(self._url, http_client=client, max_sse_event_size=_LARGEST_EVENT) as streams,
        ):
            yield streams

    async def last_words(self, within: float) -> str:  # noqa: ARG002  # as of every link
        """A server somewhere else says nothing besides its answers."""
        return ""


class _Telling(httpx2.AsyncClient):
    """Answers in the server's place when there is no answer, or one that the MCP client would not understand.

    Without it one request that cannot connect ends the whole session with all its calls, and a status such as 401 is
    told as "Server returned an error response".
    """

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        try:
            response = await super().send(request, **options)
        except httpx2.TransportError as error:
            mishap: Mishap = "not_sent" if isinstance(error, _NEVER_SENT) else "unknown"
            return _instead(request, HTTPStatus.BAD_GATEWAY, mishap, _reason(error))
        if response.status_code < HTTPStatus.BAD_REQUEST:
            return response
        return await _understood(request, response)


async def _understood(request: httpx2.Request, response: httpx2.Response) -> httpx2.Response:
    body = b""
    async for piece in response.aiter_bytes():
        body = (body + piece)[:_LARGEST_ERROR]
    await response.aclose()
    if _SESSION in request.headers and _is_about_session(response.status_code, body):
        return _instead(request, response.status_code, "session_ended", "its session has ended")
    said = _protocol_error(body)
    if said is not None:
        return httpx2.Response(response.status_code, json=said, request=request)
    mishap: Mishap = "rejected" if response.status_code in _TURNED_AWAY else "unknown"
    status = f"it answered HTTP {response.status_code} {response.reason_phrase}".rstrip()
    return _instead(request, response.status_code, mishap, status)


def _is_about_session(status: int, body: bytes) -> bool:
    # The standard asks for 404; servers built from a widespread example say 400.
    return status == HTTPStatus.NOT_FOUND or (status == HTTPStatus.BAD_REQUEST and b"session" in body.lower())


def _protocol_error(body: bytes) -> dict[str, Any] | None:
    """The JSON-RPC error in a body, if it is one."""
    try:
        said: object = json.loads(body)
    except ValueError:
        return None
    if not isinstance(said, dict):
        return None
    document = cast("dict[str, Any]", said)
    error = document.get("error")
    return document if isinstance(error, dict) and {"code", "message"} <= error.keys() else None


def _instead(request: httpx2.Request, status: int, mishap: Mishap, what: str) -> httpx2.Response:
    error = {"code": INTERNAL_ERROR, "message": what, "data": {MISHAP: mishap}}
    return httpx2.Response(status, json={"jsonrpc": "2.0", "id": None, "error": error}, request=request)


def _reason(error: httpx2.TransportError) -> str:
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
