"""A worker process for the tests: notes in a file what happens to it; a turn does what its subtask's id says."""

import logging
import os
import sys
import threading
import time
from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path

from orchestrator.adapters.otel.opening import open_telemetry
from orchestrator.ports.telemetry import Telemetry
from workers.celery_app import make_app, register_turn
from workers.pool_worker import PoolWorker, leave

_leak: ContextVar[str] = ContextVar("_leak", default="clean")


class Notes:
    """Appends lines to a file, each in one write."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)

    def __call__(self, line: str) -> None:
        """Note a line."""
        os.write(self._file, f"{line}\n".encode())


def turn_of(note: Notes, stopping: threading.Event, telemetry: Telemetry) -> Callable[[str], None]:
    """The turn: `kind` or `kind:seconds:anything`; all belong to one traced run."""
    run = telemetry.new_trace()
    note(f"trace {run}")

    def traced(subtask_id: str) -> None:
        with telemetry.span("turn", {"remit.subtask": subtask_id}, run), telemetry.span("step", {}):
            run_turn(subtask_id)

    def run_turn(subtask_id: str) -> None:
        kind, _, rest = subtask_id.partition(":")
        seconds = float(rest.partition(":")[0] or 0)
        note(f"start {subtask_id} {_leak.get()}")
        _leak.set("dirty")
        if kind == "step":  # ends early when told to stop, as a turn between two steps does
            stopping.wait(seconds)
        elif kind == "hang":
            time.sleep(seconds)
        elif kind == "raise":
            raise ValueError("a turn\nthat fails")
        elif kind == "exit":
            sys.exit(3)
        note(f"end {subtask_id}")

    return traced


def main(url: str, instance: str, threads: str, grace: str, notes: str) -> None:
    """Run the worker until it is told to stop."""
    logging.basicConfig(level=logging.WARNING)
    note = Notes(Path(notes))
    stopping = threading.Event()
    app = make_app(url, instance)
    telemetry = open_telemetry(Path(notes).with_name("traces"), "remit-worker", otlp=False)
    register_turn(app, turn_of(note, stopping, telemetry))

    def told() -> None:
        note("stop")
        stopping.set()

    worker = PoolWorker(app, int(threads), lambda: note("ready"), told, grace=float(grace))
    note("booting")
    code = worker.run()
    telemetry.close()
    note(f"left {code} {worker.abandoned}")
    leave(code)


if __name__ == "__main__":
    main(*sys.argv[1:])
