"""The connection of a worker to one server: starts it when it is called, and again, with back-off, after it died."""

import asyncio
import json
import time
from collections.abc import Mapping
from typing import Any

from mcp.types import CallToolResult, Tool

from agents.tools.mcp.declared import McpServer, Offer
from agents.tools.mcp.effects import effect_of
from agents.tools.mcp.failures import ChangedError, NotRunError, SessionEndedError, StaleListingError
from agents.tools.mcp.link import Link
from agents.tools.mcp.offers import hints_of
from agents.tools.mcp.session import Session

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
"""Seconds between two starts of a server that keeps dying; the first start after a death comes at once."""
PATIENCE = 2.0
"""A call waits so long for a server to be tried again; when it takes longer, the agent is told."""
PROBE_SECONDS = 5.0
"""A server that let a call pass its deadline has so long to show that it still answers."""


class Connection:
    """One server, shared by all turns of the worker. Everything here runs on the event loop."""

    def __init__(self, server: McpServer, link: Link) -> None:
        self._server = server
        self._link = link
        self._session: Session | None = None
        self._starting: asyncio.Task[Session] | None = None
        self._ending: set[asyncio.Task[None]] = set()
        self._deaths = 0
        self._died_at = 0.0
        self._closed = False

    @property
    def is_up(self) -> bool:
        """True while the server runs and can be called."""
        return self._session is not None and not self._session.over

    async def tools(self) -> Mapping[str, Tool]:
        """What the server offers now. Raises NotRunError."""
        session = await self._ready()
        await session.refresh(self._server.start_seconds)
        return session.tools

    async def call(self, offer: Offer, arguments: Mapping[str, Any], until: float) -> CallToolResult:
        """Have the server run the tool; `until` is on the loop's clock. Raises CallFailedError.

        A call is sent again only when the server has certainly not run it.
        """
        session = await self._in_time(offer, until)
        try:
            answer = await session.call(offer.name, arguments, _left(until))
        except (SessionEndedError, StaleListingError) as error:
            if isinstance(error, SessionEndedError):
                self._let_go(session)
            else:
                session.forget_tools()
            session = await self._in_time(offer, until)
            answer = await session.call(offer.name, arguments, _left(until))
        self._deaths = 0
        return answer

    async def close(self) -> None:
        """End the server."""
        self._closed = True
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.wait({self._starting})
        if self._session is not None:
            self._let_go(self._session)
        if self._ending:
            await asyncio.wait(self._ending)

    async def _in_time(self, offer: Offer, until: float) -> Session:
        """A session in which the tool is what it was."""
        try:
            async with asyncio.timeout_at(until):
                session = await self._ready()
                await session.refresh(_left(until))
        except TimeoutError:
            raise NotRunError(f"the server `{self._server.name}` was not ready in time") from None
        self._compare(session.tools.get(offer.name), offer)
        return session

    def _compare(self, now: Tool | None, pinned: Offer) -> None:
        name = self._server.name
        if now is None:
            raise ChangedError(f"the server `{name}` does not offer it any more")
        if _canonical(now.input_schema) != _canonical(pinned.arguments):
            raise ChangedError(f"the server `{name}` takes other arguments for it than when this run was opened")
        if effect_of(hints_of(now), pinned.effect) != pinned.effect:
            raise ChangedError(f"the server `{name}` does not say any more that it is `{pinned.effect}`")

    async def _ready(self) -> Session:
        session = self._session
        # While other calls run, a server that let one pass its deadline may only be busy.
        if session is not None and not session.over and not (session.suspect and session.idle):
            return session
        if self._starting is None:
            self._starting = asyncio.create_task(self._start())
            self._starting.add_done_callback(self._started)
        # Whoever gives up first does not end the start for the others.
        return await asyncio.shield(self._starting)

    async def _answers(self, session: Session) -> bool:
        try:
            await session.refresh(PROBE_SECONDS, at_once=True)
        except BaseException as error:
            self._end(session)
            if isinstance(error, NotRunError):
                self._count_death(time.monotonic())
                return False
            raise
        return True

    async def _start(self) -> Session:
        if self._closed:
            raise NotRunError("the worker is stopping")
        before, self._session = self._session, None
        if before is not None and before.died:
            self._count_death(before.ended_at)
        elif before is not None and not before.over and await self._answers(before):
            self._session = before
            return before
        await self._pause()
        session = Session(self._server.name, self._link, self._server.start_seconds)
        try:
            await session.start()
        except BaseException as error:
            self._end(session)
            if isinstance(error, NotRunError):
                self._count_death(time.monotonic())
                raise NotRunError(f"the server `{self._server.name}`: {error}") from error
            raise
        self._session = session
        return session

    def _started(self, start: asyncio.Task[Session]) -> None:
        self._starting = None
        if not start.cancelled():
            start.exception()  # whoever waited has it; nobody may have waited that long

    async def _pause(self) -> None:
        if self._deaths <= 1:
            return
        pause = min(FIRST_PAUSE * 2 ** (self._deaths - 2), LONGEST_PAUSE)
        left = self._died_at + pause - time.monotonic()
        if left > PATIENCE:
            what = f"the server `{self._server.name}` failed {self._deaths} times in a row"
            raise NotRunError(f"{what}; it is started again in {left:.0f} s")
        await asyncio.sleep(max(0.0, left))

    def _count_death(self, at: float) -> None:
        self._deaths += 1
        self._died_at = at

    def _let_go(self, session: Session) -> None:
        self._end(session)
        if self._session is session:
            self._session = None

    def _end(self, session: Session) -> None:
        ending = asyncio.create_task(session.close())
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)


def _left(until: float) -> float:
    return max(0.0, until - asyncio.get_running_loop().time())


def _canonical(schema: Mapping[str, Any]) -> str:
    return json.dumps(schema, sort_keys=True, ensure_ascii=False)
