"""How a Celery worker runs inside this process: started, stopped gently, and ended when it does not stop."""

import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any, NoReturn, cast

from celery import Celery
from celery.app.trace import setup_worker_optimizations
from celery.exceptions import WorkerShutdown
from celery.worker import WorkController, state

from orchestrator.ports.clock import Deadline
from workers.stop_signals import StopSignals
from workers.turn_consumer import TurnConsumer
from workers.turn_pool import TurnPool

GRACE_SECONDS = 10.0
"""How long turns may take to finish the step in hand once they were told to stop."""
PATIENCE_SECONDS = 2.0
"""How long the main thread may take to notice a request to stop before it is torn out of what it does."""

_log = logging.getLogger(__name__)


class PoolWorker:
    """One Celery worker with a pool of threads; it runs once."""

    def __init__(
        self,
        app: Celery,
        threads: int,
        on_ready: Callable[[], None],
        on_stop_requested: Callable[[], None],
        grace: float = GRACE_SECONDS,
    ) -> None:
        """`on_ready` is called when messages are consumed, `on_stop_requested` once, before turns are waited for."""
        self._app = app
        self._threads = threads
        self._on_ready = on_ready
        self._on_stop_requested = on_stop_requested
        self._grace = grace
        self._lock = threading.Lock()
        self._deadline: Deadline | None = None
        self._done = threading.Event()
        self._can_tear_out = False
        self._controller: Any = None

    @property
    def free_threads(self) -> int:
        """How many further turns could run now."""
        pool = self._pool()
        return self._threads if pool is None else max(0, self._threads - pool.busy)

    @property
    def abandoned(self) -> int:
        """Turns that did not end in time: after them only `leave` ends the process, Python itself would wait."""
        pool = self._pool()
        return 0 if pool is None else pool.abandoned

    def run(self) -> int:
        """Consume until told to stop; 0 after a stop in which every turn ended, else 1. Belongs in the main thread."""
        state.should_stop = state.should_terminate = None
        with StopSignals(self.stop):
            try:
                self._consume()
            except WorkerShutdown:
                _log.warning("the broker held up the stop; its connection was dropped")
            finally:
                self._done.set()
        return int(self._controller.exitcode or 0) or min(1, self.abandoned)

    def stop(self) -> None:
        """Ask the worker to stop, from any thread; the first time counts."""
        if not self._stop_begins():
            return
        state.should_stop = 0
        if self._controller is not None:
            self._controller.hub.call_soon(_nothing)  # the loop may sleep for a second otherwise
        threading.Thread(target=self._hasten, name="stop-hastener", daemon=True).start()

    def _consume(self) -> None:
        setup_worker_optimizations(self._app)
        self._controller = WorkController(
            app=self._app,
            concurrency=self._threads,
            pool_cls=TurnPool,
            consumer_cls=TurnConsumer,
            ready_callback=self._ready,
            task_events=False,
            without_gossip=True,
            without_mingle=True,
            without_heartbeat=True,
        )
        pool = self._pool()
        assert pool is not None
        pool.connect(on_free=self._thread_is_free, on_drain=self._drain)
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGUSR2, self._tear_out)
            self._can_tear_out = True
        if self._deadline is None:
            self._controller.start()

    def _ready(self, consumer: object) -> None:
        del consumer
        self._on_ready()

    def _thread_is_free(self) -> None:
        # A full pool stops reading from the broker; without this it would notice its free thread up to a second late.
        self._controller.hub.call_soon(_nothing)

    def _stop_begins(self) -> bool:
        with self._lock:
            if self._deadline is not None:
                return False
            self._deadline = Deadline.after(self._grace)
        try:
            self._on_stop_requested()
        except Exception as error:  # noqa: BLE001  # a failing notice must not keep the worker from stopping
            _log.error("turns could not be told to stop: %s: %s", type(error).__name__, error)
        return True

    def _drain(self) -> Deadline:
        self._stop_begins()  # when Celery stops by itself nobody has asked yet
        assert self._deadline is not None
        return self._deadline

    def _hasten(self) -> None:
        """Tear the main thread out of a call to a broker that does not answer; turns are waited for elsewhere."""
        main = threading.main_thread().ident
        while not self._done.wait(PATIENCE_SECONDS):
            pool = self._pool()
            waits_for_turns = pool is not None and pool.draining
            if main is not None and self._can_tear_out and not waits_for_turns:
                signal.pthread_kill(main, signal.SIGUSR2)

    def _tear_out(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        if not self._done.is_set():
            raise WorkerShutdown(0)

    def _pool(self) -> TurnPool | None:
        return None if self._controller is None else cast("TurnPool", self._controller.pool)


def run_worker(app: Celery, threads: int, on_ready: Callable[[], None], on_stop_requested: Callable[[], None]) -> int:
    """Run a worker in this process until it is told to stop; its exit code."""
    return PoolWorker(app, threads, on_ready, on_stop_requested).run()


def leave(code: int) -> NoReturn:
    """End the process now. Python's own way out would wait for turns that were given up."""
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # whoever read it may be gone
            stream.flush()
    os._exit(code)


def _nothing() -> None:
    return
