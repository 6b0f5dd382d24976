"""One life of a connection to a server: from its start until it dies, is left idle or is closed."""

import asyncio
import logging
import time
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from mcp import Client, MCPError
from mcp.client import IncomingMessage
from mcp.types import (
    CallToolRequest,
    CallToolRequestParams,
    CallToolResult,
    Implementation,
    InputRequiredResult,
    LoggingMessageNotificationParams,
    PaginatedRequestParams,
    Tool,
    ToolListChangedNotification,
)
from pydantic import TypeAdapter, ValidationError

from agents.tools.mcp.answers import failure, too_late
from agents.tools.mcp.failures import CallFailedError, NotRunError, TimedOutError, UnansweredError
from agents.tools.mcp.link import Link, watched

IDLE_SECONDS = 900.0
"""A server that nobody called for so long is let go; the next call starts it again."""
LISTING_SECONDS = 60.0
"""What a server said of its tools is asked anew when it is older than this and the server is called."""
_MOST_PAGES = 100
_GRACE = 0.5
_WORDS_SECONDS = 1.0
_LONGEST_REASON = 300
_ANSWER: TypeAdapter[CallToolResult | InputRequiredResult] = TypeAdapter(CallToolResult | InputRequiredResult)
_log = logging.getLogger(__name__)


class Session:
    """A started server. Everything here runs on the event loop."""

    def __init__(self, name: str, link: Link, start_seconds: float) -> None:
        self._name = name
        self._link = link
        self._start_seconds = start_seconds
        self._client: Client | None = None
        self._over = asyncio.Event()
        self.ended_at = 0.0
        self._stop = asyncio.Event()
        self._listing = asyncio.Lock()
        self._listed_at = float("-inf")
        self._used_at = time.monotonic()
        self._calls = 0
        self._life: asyncio.Task[None] | None = None
        self.tools: Mapping[str, Tool] = {}
        self.suspect = False
        """True after a call that was not answered in time: perhaps nothing is answered any more."""

    @property
    def over(self) -> bool:
        """True once no call can be made any more."""
        return self._over.is_set()

    @property
    def died(self) -> bool:
        """True when it is over and nobody here wanted that."""
        return self.over and not self._stop.is_set()

    @property
    def idle(self) -> bool:
        """True while no call is under way."""
        return self._calls == 0

    async def start(self) -> None:
        """Connect and list the tools. Raises NotRunError that says what is wrong with the server."""
        opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._life = asyncio.create_task(self._live(opened))
        if not (await asyncio.wait({opened}, timeout=self._start_seconds))[0]:
            # Ending a server that hangs takes a while; nobody has to wait for that.
            opened.cancel()
            self.abort()
            late = f"it did not get ready within {self._start_seconds:.3g} s"
            raise NotRunError(late + _quoted(await self._link.last_words(0)))
        error = opened.exception()
        if error is not None:
            raise NotRunError(_why(error) + _quoted(await self._link.last_words(_WORDS_SECONDS))) from error

    async def close(self) -> None:
        """End it."""
        self._stop.set()
        if self._life is not None:
            await asyncio.wait({self._life})

    def abort(self) -> None:
        """End it without waiting for anything."""
        self._stop.set()
        if self._life is not None:
            self._life.cancel()

    async def call(self, tool: str, arguments: Mapping[str, Any], seconds: float) -> CallToolResult:
        """Have the server run the tool, once. Raises CallFailedError."""
        assert self._client is not None
        if seconds <= 0:
            raise NotRunError("there was no time left")
        params = CallToolRequestParams(name=tool, arguments=dict(arguments))
        request = CallToolRequest(params=params)
        self._calls += 1
        try:
            # The client's own limit cancels the call at the server; ours is for a server that does not even read.
            async with asyncio.timeout(seconds + _GRACE):
                answer = await self._client.session.send_request(request, _ANSWER, request_read_timeout_seconds=seconds)
        except TimeoutError:
            raise self._too_late(seconds) from None
        except MCPError as error:
            raise await self._failed(error, seconds) from error
        except ValidationError as error:
            raise UnansweredError("its answer is none that MCP knows") from error
        finally:
            self._calls -= 1
            self._used_at = time.monotonic()
        if isinstance(answer, InputRequiredResult):
            raise NotRunError("it asks for more input before it runs, which is not supported")
        return answer

    async def refresh(self, within: float, *, at_once: bool = False) -> None:
        """List the tools again if that is due. Raises NotRunError when the server does not answer."""
        async with self._listing:
            if not at_once and time.monotonic() - self._listed_at < LISTING_SECONDS:
                return
            assert self._client is not None
            try:
                async with asyncio.timeout(within):
                    await self._list(self._client)
            except (TimeoutError, MCPError, ValidationError) as error:
                what = f"within {within:.3g} s" if isinstance(error, TimeoutError) else f"({error})"
                raise NotRunError(f"the server `{self._name}` did not list its tools {what}") from error
            self.suspect = False

    def forget_tools(self) -> None:
        """Have them listed again before the next call."""
        self._listed_at = float("-inf")

    def _ended(self) -> None:
        if not self._over.is_set():
            self.ended_at = time.monotonic()
            self._over.set()

    def _too_late(self, seconds: float) -> TimedOutError:
        self.suspect = True
        return TimedOutError(f"it did not answer within {seconds:.3g} s and was told to stop")

    async def _failed(self, error: MCPError, seconds: float) -> CallFailedError:
        if too_late(error):
            return self._too_late(seconds)
        if self.over:
            said = _quoted(await self._link.last_words(_WORDS_SECONDS))
            return UnansweredError(f"the server `{self._name}` ended before it answered{said}")
        return failure(error)

    async def _live(self, opened: "asyncio.Future[None]") -> None:
        try:
            async with self._new_client() as client:
                await self._list(client)
                self._client = client
                if not opened.done():
                    opened.set_result(None)
                await self._until_the_end()
                self._ended()
        except Exception as error:  # noqa: BLE001  # whatever a server does, it ends here
            if opened.done():
                _log.warning("the connection to the mcp server %s broke: %s", self._name, _innermost(error))
            else:
                opened.set_exception(_innermost(error))
        finally:
            self._ended()
            if not opened.done():
                opened.set_exception(NotRunError("it was stopped while it started"))

    def _new_client(self) -> Client:
        return Client(
            watched(self._link, self._ended),
            client_info=Implementation(name="remit", version=version("remit")),
            logging_callback=self._logged,
            message_handler=self._noticed,
            cache=None,
        )

    async def _until_the_end(self) -> None:
        ends = [asyncio.create_task(one.wait()) for one in (self._stop, self._over)]
        try:
            while not (await asyncio.wait(ends, timeout=IDLE_SECONDS, return_when=asyncio.FIRST_COMPLETED))[0]:
                if self.idle and time.monotonic() - self._used_at >= IDLE_SECONDS:
                    self._stop.set()
        finally:
            for one in ends:
                one.cancel()

    async def _list(self, client: Client) -> None:
        self._listed_at = time.monotonic()
        tools: dict[str, Tool] = {}
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            page = await client.session.list_tools(params=PaginatedRequestParams(cursor=cursor) if cursor else None)
            tools = {tool.name: tool for tool in page.tools} | tools
            cursor = page.next_cursor
            if cursor is None:
                break
        self.tools = tools

    async def _logged(self, params: LoggingMessageNotificationParams) -> None:
        _log.info("mcp server %s: %s: %.2000s", self._name, params.level, params.data)

    async def _noticed(self, message: IncomingMessage) -> None:
        if isinstance(message, ToolListChangedNotification):
            self.forget_tools()


def _innermost(error: BaseException) -> BaseException:
    """Task groups wrap what happened in them."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _why(error: BaseException) -> str:
    found = failure(error) if isinstance(error, MCPError) else error
    if isinstance(found, NotRunError):
        return str(found)
    said = str(found) if isinstance(found, CallFailedError) else f"{type(found).__name__}: {found}"
    return f"it cannot be used: {' '.join(said.split())[:_LONGEST_REASON]}"


def _quoted(said: str) -> str:
    return f"; it last said: {said[:300]}" if said else ""
