"""A thread with an event loop, on which all conversations with servers take place."""

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")
_STARTS_WITHIN = 10.0


class LoopThread:
    """Runs coroutines for other threads; starts when it is first used."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._stop: asyncio.Event | None = None
        self._closed = False

    def submit(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Have `work` done. Raises RuntimeError when the thread has ended."""
        try:
            return asyncio.run_coroutine_threadsafe(work, self._running())
        except RuntimeError:
            work.close()
            raise

    def close(self, within: float) -> None:
        """End the thread; work that is not done by then is cancelled."""
        with self._lock:
            loop, stop, thread = self._loop, self._stop, self._thread
            ended, self._closed = self._closed, True
        if ended or loop is None or stop is None or thread is None:
            return
        loop.call_soon_threadsafe(stop.set)
        thread.join(within)

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._closed:
                raise RuntimeError("the thread has ended")
            if self._loop is None:
                started: Future[None] = Future()
                # A daemon: a server that does not let go must not keep the process alive.
                self._thread = threading.Thread(target=self._run, args=(started,), name=self._name, daemon=True)
                self._thread.start()
                started.result(_STARTS_WITHIN)
            assert self._loop is not None
            return self._loop

    def _run(self, started: "Future[None]") -> None:
        asyncio.run(self._until_stopped(started))

    async def _until_stopped(self, started: "Future[None]") -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        started.set_result(None)
        await self._stop.wait()
