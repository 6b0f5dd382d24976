"""Turns the first request to stop into a call on a thread of its own, and ends the process at the second."""

import os
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, Self

GENTLE = (signal.SIGTERM, signal.SIGINT)
AT_ONCE = signal.SIGQUIT


class StopSignals:
    """While entered: SIGTERM or SIGINT calls `on_stop` once; another one, or SIGQUIT, ends the process at once.

    A signal handler runs between any two instructions of the main thread, which may hold any lock. So it only writes
    a byte into a pipe; a thread that waits at the other end does the rest. Outside the main thread nothing is caught.
    """

    def __init__(self, on_stop: Callable[[], None]) -> None:
        self._on_stop = on_stop
        self._asked = False
        self._before: dict[signal.Signals, Any] = {}
        self._reader, self._writer = -1, -1
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._reader, self._writer = os.pipe()
            self._thread = threading.Thread(target=self._wait, name="stop-signals", daemon=True)
            self._thread.start()
            for number in (*GENTLE, AT_ONCE):
                self._before[number] = signal.signal(number, self._caught)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if self._thread is not None:
            os.close(self._writer)  # the thread reads the end of the pipe
            self._thread.join(timeout=1.0)

    def _caught(self, number: int, frame: FrameType | None) -> None:
        del frame
        if self._asked or number == AT_ONCE:
            os._exit(128 + number)
        self._asked = True
        os.write(self._writer, b"!")

    def _wait(self) -> None:
        asked = os.read(self._reader, 1)
        if asked:
            self._on_stop()
        os.close(self._reader)
