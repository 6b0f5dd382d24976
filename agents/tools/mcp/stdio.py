"""The way to a server that is a program: starts it under a guard, and writes its error output to the log."""

import asyncio
import codecs
import logging
import os
import sys
from collections import deque
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from mcp.client.stdio import StdioServerParameters, stdio_client

from agents.tools.mcp.declared import McpServer
from agents.tools.mcp.link import TransportStreams
from agents.tools.mcp.variables import filled

_GUARD = Path(__file__).with_name("guard.py")
_LONGEST_LINE = 2_000
_KEPT = 2
_OUTPUT_ENDS_WITHIN = 1.0
_log = logging.getLogger(__name__)


class StdioLink:
    """Starts the declared command; of the worker's environment it sees only what every program needs, and `env`."""

    def __init__(self, server: McpServer, variables: Mapping[str, str]) -> None:
        """Raises TeamError for a variable that is not set."""
        command = [filled(part, variables) for part in server.command or ()]
        folder = Path(server.folder)
        self._name = server.name
        self._said = ErrorOutput(server.name)
        self._parameters = StdioServerParameters(
            command=sys.executable,
            args=["-I", "-S", str(_GUARD), *command],
            env={name: filled(value, variables) for name, value in server.env.items()},
            # A run may be worked on where the team file never was: then only the command itself has to be there.
            cwd=folder if server.folder and folder.is_dir() else None,
        )

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[TransportStreams]:
        """Start the server; at the end of the block it is stopped."""
        reading, writing = os.pipe()
        self._said = said = ErrorOutput(self._name)
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: said, os.fdopen(reading, "rb", 0))
        output = os.fdopen(writing, "w")
        try:
            async with stdio_client(self._parameters, errlog=output) as streams:
                output.close()
                yield streams
        finally:
            output.close()
            await said.ended(_OUTPUT_ENDS_WITHIN)
            transport.close()

    async def last_words(self, within: float) -> str:
        """The last that the server wrote to its error output, read to its end if that comes in time."""
        await self._said.ended(within)
        return self._said.last()


class ErrorOutput(asyncio.Protocol):
    """Reads what a server writes to its error output: each line goes to the log, the last ones are kept."""

    def __init__(self, server: str) -> None:
        self._server = server
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._begun = ""
        self._lines: deque[str] = deque(maxlen=_KEPT)
        self._closed = asyncio.Event()

    def data_received(self, data: bytes) -> None:
        """Take in some bytes."""
        *whole, self._begun = (self._begun + self._decoder.decode(data)).split("\n")
        for line in whole:
            self._take(line)
        if len(self._begun) > _LONGEST_LINE:
            self._take(self._begun)
            self._begun = ""

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  # asyncio's signature
        """Take in the end."""
        self._take(self._begun)
        self._begun = ""
        self._closed.set()

    def last(self) -> str:
        """The last two lines that are not empty: mostly the error, and how the process ended."""
        return "; ".join(self._lines)

    async def ended(self, within: float) -> None:
        """Wait until everything is read: a process of the server's may hold its output longer than that."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                await self._closed.wait()

    def _take(self, line: str) -> None:
        said = "".join(sign if sign.isprintable() else " " for sign in line[:_LONGEST_LINE]).strip()
        if said:
            self._lines.append(said)
            _log.info("mcp server %s: %s", self._server, said)
