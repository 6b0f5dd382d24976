"""Runs a scripted model: inside a process for as long as a `with` block, or as a program until it is told to stop."""

import asyncio
import contextlib
import signal
import threading
from collections.abc import Callable, Generator
from concurrent.futures import Future
from pathlib import Path
from typing import TextIO

import orjson

from agents.fake_model.answering import Answering
from agents.fake_model.loading import load_script
from agents.fake_model.script import Script
from agents.fake_model.server import Exchange, OnExchange, Server
from orchestrator.errors import InputError

LOOPBACK = "127.0.0.1"


class FakeModel:
    """A running scripted model: where it is, and what it was asked."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.exchanges: list[Exchange] = []
        """Every request in the order of its arrival, with what was answered."""

    @property
    def url(self) -> str:
        """The base URL for clients."""
        return f"http://{LOOPBACK}:{self.port}/v1"

    @property
    def requests(self) -> list[Exchange]:
        """The requests for completions alone."""
        return [exchange for exchange in self.exchanges if exchange.outcome.request is not None]


@contextlib.contextmanager
def serve(script: Script | Path, name: str = "the script") -> Generator[FakeModel]:
    """Run `script` in a thread of this process, on a free port of the loopback.

    Raises InputError for a script that cannot be read.
    """
    if isinstance(script, Path):
        name, script = str(script), load_script(script)
    model = FakeModel(0)
    server = Server(Answering(script, name), model.exchanges.append)
    started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event, int]] = Future()
    thread = threading.Thread(target=lambda: asyncio.run(_live(server, started)), name="fake-model", daemon=True)
    thread.start()
    loop, stop, model.port = started.result()
    try:
        yield model
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()


async def _live(server: Server, started: "Future[tuple[asyncio.AbstractEventLoop, asyncio.Event, int]]") -> None:
    stop = asyncio.Event()
    try:
        port = await server.start(LOOPBACK, 0)
    except OSError as error:
        started.set_exception(error)
        return
    started.set_result((asyncio.get_running_loop(), stop, port))
    await stop.wait()
    await server.stop()


def run_until_told(script: Path, host: str, port: int, log: Path | None, on_ready: Callable[[int], None]) -> None:
    """Serve until SIGINT or SIGTERM; `on_ready` is told the port. Raises InputError."""
    answering = Answering(load_script(script), script.name)
    with contextlib.ExitStack() as stack:
        lines = stack.enter_context(_opened(log)) if log else None
        server = Server(answering, _logger(lines) if lines else _ignored)
        asyncio.run(_until_told(server, host, port, on_ready))


async def _until_told(server: Server, host: str, port: int, on_ready: Callable[[int], None]) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):  # Windows has no such handlers; Ctrl-C ends it all the same
            loop.add_signal_handler(number, stop.set)
    try:
        bound = await server.start(host, port)
    except OSError as error:
        what = f"cannot listen on {host}:{port}: {error.strerror or error}"
        raise InputError(what, mend="Choose another port; 0 takes a free one.") from None
    on_ready(bound)
    await stop.wait()
    await server.stop()


def _opened(log: Path) -> TextIO:
    try:
        return log.open("a", encoding="utf-8", buffering=1)
    except OSError as error:
        raise InputError(f"the log cannot be written: {error.strerror}", where=str(log)) from None


def _ignored(exchange: Exchange) -> None:
    """Without a log nothing is kept: a server that runs for days must not grow."""


def _logger(lines: TextIO) -> OnExchange:
    def write(exchange: Exchange) -> None:
        lines.write(log_line(exchange) + "\n")

    return write


def log_line(exchange: Exchange) -> str:
    """One request as a line of JSON; the key is left out."""
    outcome = exchange.outcome
    try:
        body = orjson.loads(exchange.body) if exchange.body else None
    except orjson.JSONDecodeError:
        body = exchange.body.decode("utf-8", "replace")
    line = {
        "request": outcome.request,
        "method": exchange.method,
        "path": exchange.path,
        "rule": outcome.rule,
        "status": outcome.status,
        "fault": outcome.disturbed.kind if outcome.disturbed else None,
        "body": body,
    }
    return orjson.dumps(line).decode()
