"""The waker: lets stopped processes go on when their time is over, whatever else the proof waits for meanwhile."""

import os
import signal
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from workers.chaos.hits import Hits

EVERY = 0.1


@contextmanager
def waking(folder: Path, stop_seconds: float) -> Generator[None]:
    """For the block, wake what chaos stopped in this folder after so many seconds; at its end, all that sleeps."""
    ended = threading.Event()
    waker = Waker(folder, stop_seconds)

    def wake_until_ended() -> None:
        while not ended.wait(EVERY):
            waker.wake()

    # A thread of its own: a process that slept longer than an effect's deadline and grace could send too late.
    thread = threading.Thread(target=wake_until_ended, name="waker", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        waker.wake(all_of_them=True)


class Waker:
    """Reads which processes were stopped, and remembers until when they sleep."""

    def __init__(self, folder: Path, stop_seconds: float) -> None:
        self._hits = Hits(folder)
        self._seconds = stop_seconds
        self._read = 0
        self._asleep: dict[int, float] = {}

    def wake(self, *, all_of_them: bool = False) -> None:
        """Wake those whose time is over."""
        met = self._hits.met(self._read)
        self._read += len(met)
        self._asleep.update({one.pid: one.at + self._seconds for one in met if one.fault == "stop"})
        for pid, until in list(self._asleep.items()):
            if all_of_them or time.time() >= until:
                del self._asleep[pid]
                with suppress(psutil.Error, ProcessLookupError):
                    if psutil.Process(pid).status() == psutil.STATUS_STOPPED:
                        os.kill(pid, signal.SIGCONT)
