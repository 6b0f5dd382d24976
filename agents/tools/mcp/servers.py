"""The MCP servers of one process: one client each, shared by all threads, which need to know nothing of event loops."""

import asyncio
import concurrent.futures
import threading
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from agents.tools.mcp.declared import McpServer, Offer
from agents.tools.mcp.failures import NotRunError, TimedOutError, UnansweredError
from agents.tools.mcp.loop import LoopThread
from agents.tools.mcp.variables import unset
from orchestrator.errors import TeamError
from orchestrator.ports.clock import Deadline

if TYPE_CHECKING:
    from mcp.types import CallToolResult, Tool

    from agents.tools.mcp.connection import Connection

T = TypeVar("T")
CLOSES_WITHIN = 6.0
"""A server may take some seconds to stop; one that takes longer is killed by its guard when this process is gone."""
_GRACE = 1.0


class McpServers:
    """Starts servers when they are first called. Safe to use from several threads at once."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        """`variables`: the environment, for what declarations name as `${NAME}`."""
        self._variables = variables
        self._loop = LoopThread("mcp")
        self._lock = threading.Lock()
        self._connections: dict[str, Connection] = {}

    def unset(self, server: McpServer) -> list[TeamError]:
        """An error for each key of the declaration that names a variable which is not set."""
        return list(unset(server, self._variables))

    def is_up(self, server: McpServer) -> bool:
        """True while the server runs."""
        with self._lock:
            connection = self._connections.get(server.way())
        return connection is not None and connection.is_up

    def tools(self, server: McpServer) -> "Mapping[str, Tool]":
        """What the server offers now. Raises NotRunError; TeamError for a variable that is not set."""
        connection = self._connection(server)
        # The connection keeps its own, shorter time; this one is for a loop that does not turn.
        return self._answer(connection.tools(), 2 * server.start_seconds + 30)

    def call(
        self, server: McpServer, offer: Offer, arguments: Mapping[str, Any], deadline: Deadline
    ) -> "CallToolResult":
        """Have the server run the tool. Raises CallFailedError; TeamError for a variable that is not set."""
        connection = self._connection(server)

        async def called() -> "CallToolResult":
            until = asyncio.get_running_loop().time() + deadline.left()
            return await connection.call(offer, arguments, until)

        return self._answer(called(), deadline.left())

    def close(self) -> None:
        """End all servers; calls that are under way fail."""
        with self._lock:
            connections = list(self._connections.values())
            self._connections.clear()
        if connections:
            # What does not end in time is left to the guards of the servers.
            with suppress(concurrent.futures.CancelledError, TimeoutError, RuntimeError):
                self._loop.submit(_closed(connections)).result(CLOSES_WITHIN)
        self._loop.close(_GRACE)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _connection(self, server: McpServer) -> "Connection":
        from agents.tools.mcp.ways import connection_to  # noqa: PLC0415  # the client takes half a second to import

        way = server.way()
        with self._lock:
            if way not in self._connections:
                self._connections[way] = connection_to(server, self._variables)
            return self._connections[way]

    def _answer(self, work: Coroutine[Any, Any, T], seconds: float) -> T:
        try:
            future = self._loop.submit(work)
        except RuntimeError:
            raise NotRunError("this process is stopping") from None
        try:
            return future.result(seconds + _GRACE)
        except concurrent.futures.CancelledError:
            raise UnansweredError("this process was stopped while it waited for the answer") from None
        except TimeoutError:
            future.cancel()
            raise TimedOutError(f"it did not answer within {seconds:.3g} s and was told to stop") from None


async def _closed(connections: "list[Connection]") -> None:
    await asyncio.gather(*(one.close() for one in connections), return_exceptions=True)
