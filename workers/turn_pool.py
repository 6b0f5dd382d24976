"""Celery's pool of threads, made to tell when a thread is free and to wait for turns in hand no longer than asked."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Any

from celery.concurrency.thread import ApplyResult, TaskPool

from orchestrator.ports.clock import Deadline

_log = logging.getLogger(__name__)


class TurnPool(TaskPool):
    """One thread a turn. `connect` must be called before the pool is used."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.draining = False
        """True while turns in hand are waited for."""
        self.abandoned = 0
        """Turns that still ran when the pool stopped waiting for them."""
        self._lock = threading.Lock()
        self._running: set[Future[Any]] = set()
        self._on_free: Callable[[], None] = _nothing
        self._on_drain: Callable[[], Deadline] = _no_time

    def connect(self, on_free: Callable[[], None], on_drain: Callable[[], Deadline]) -> None:
        """`on_free` is called when a turn ended; `on_drain` asks turns to end and says until when to wait for them."""
        self._on_free = on_free
        self._on_drain = on_drain

    @property
    def busy(self) -> int:
        """Turns that run or wait for a thread."""
        with self._lock:
            return len(self._running)

    def on_apply(self, *args: Any, **options: Any) -> ApplyResult:
        """Run a turn on a thread."""
        result = super().on_apply(*args, **options)
        with self._lock:
            self._running.add(result.f)
        result.f.add_done_callback(self._over)
        return result

    def on_stop(self) -> None:
        """Wait for the turns in hand, but not for ever; Celery's own pool would."""
        self.draining = True
        deadline = self._on_drain()
        self.executor.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            running = tuple(self._running)
        self.abandoned = len(wait(running, timeout=deadline.left()).not_done)
        self.draining = False

    def _over(self, future: Future[Any]) -> None:
        with self._lock:
            self._running.discard(future)
        if not future.cancelled() and (error := future.exception()) is not None:
            _log.error("a wake-up could not be worked on: %s: %s", type(error).__name__, error)
        self._on_free()


def _nothing() -> None:
    return


def _no_time() -> Deadline:
    return Deadline.after(0.0)
