"""The way to a server: streams that notice their own end, and what the server last said on its error output."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from types import TracebackType
from typing import Protocol, Self

from mcp.client._transport import ReadStream, TransportStreams, WriteStream
from mcp.shared.message import SessionMessage


class Link(Protocol):
    """One way to a server, to be walked any number of times."""

    def open(self) -> AbstractAsyncContextManager[TransportStreams]:
        """Connect, starting the server where that is part of it."""
        ...

    async def last_words(self, within: float) -> str:
        """The last lines of the error output of a server that has ended, or ends within so many seconds."""
        ...


@asynccontextmanager
async def watched(link: Link, ended: Callable[[], None]) -> AsyncGenerator[TransportStreams]:
    """The link's streams; `ended` is called when the server has closed its side.

    The client itself would notice only with its next call, which would then fail instead of meeting a new server.
    """
    async with link.open() as (read, write):
        yield _Watched(read, ended), write


class _Watched:
    """A stream that tells of its end."""

    def __init__(self, stream: ReadStream[SessionMessage | Exception], ended: Callable[[], None]) -> None:
        self._stream = stream
        self._ended = ended

    async def receive(self) -> SessionMessage | Exception:
        return await self._stream.receive()

    async def aclose(self) -> None:
        await self._stream.aclose()

    def __aiter__(self) -> "_Watched":
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self._stream.__anext__()
        except BaseException:
            self._ended()
            raise

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> bool | None:
        return await self._stream.__aexit__(exc_type, exc_val, exc_tb)


__all__ = ["Link", "TransportStreams", "WriteStream", "watched"]
