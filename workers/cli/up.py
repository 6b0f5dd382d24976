"""`remit up`: keep the embedded services running until this command is stopped."""

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Annotated

import typer
from rich.console import Console

from orchestrator.config import Settings
from orchestrator.errors import ConfigError
from workers.embedded.session import services
from workers.wiring import embedded_services


def up_command(settings: Callable[[], Settings]) -> Callable[..., None]:
    """The function behind `remit up`."""

    def up(workers: Annotated[int, typer.Option("--workers", "-w", min=1, max=64)] = 1) -> None:
        """Keep broker and workers of this machine running: deadlines fire and runs go on meanwhile. Ctrl-C ends it."""
        given = settings()
        if not given.embedded:
            what = "broker and database are given, so nothing is embedded"
            raise ConfigError(what, where="REMIT_BROKER_URL", mend="Start workers with `remit worker`.")
        stop = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, _setting(stop))
        with services(embedded_services(given, workers)) as session:
            Console(stderr=True, highlight=False).print(f"[green]✓[/green] running in {given.home} (Ctrl-C ends it)")
            while not stop.wait(1.0):
                if not session.alive():
                    session.status()

    return up


def _setting(stop: threading.Event) -> Callable[[int, FrameType | None], None]:
    def handle(number: int, frame: FrameType | None) -> None:
        del number, frame
        stop.set()

    return handle
