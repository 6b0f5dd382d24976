"""The keeper: the thread of a worker process that renews its lease, sweeps, and notices when it must stop."""

import logging
import random
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from orchestrator.engine.services.sweeping import Sweeper
from orchestrator.errors import BrokerError, RemitError
from orchestrator.ports.broker import Broker
from orchestrator.ports.store import Store
from workers.pool_worker import PoolWorker, leave
from workers.turn import TurnRunner

log = logging.getLogger(__name__)

LOOKS = 10
"""How often in a lease somebody looks whether the database answers."""
HANGING = 3
"""Looks at one question without an answer; a process that was stopped with a question open gets its chance."""
SWEEP_SECONDS = 2.0
DEAF_SECONDS = 30.0
HUNG = 1
"""The exit code of a worker whose database hangs."""


class Keeper:
    """Keeps one worker process alive in the eyes of the others, and does what nobody else will do."""

    def __init__(
        self,
        *,
        store: Store,
        sweeper: Sweeper,
        runner: TurnRunner,
        worker_id: str,
        lease_seconds: float,
        broker: Broker,
        pool: PoolWorker,
    ) -> None:
        self._store = store
        self._sweeper = sweeper
        self._runner = runner
        self._worker_id = worker_id
        self._lease = lease_seconds
        self._broker = broker
        self._pool = pool
        self._renewed = _now()
        self._over = False
        """True once what is in hand is given up: its turns may still run for a moment."""
        self._asked = 0
        self._answered = 0
        self._ended = threading.Event()
        self._closed = threading.Event()
        self._threads = (
            threading.Thread(target=self._renew, name="lease", daemon=True),
            threading.Thread(target=self._sweep, name="sweeper", daemon=True),
        )
        self._watcher = threading.Thread(target=self._watch, name="lease-watch", daemon=True)

    def start(self) -> None:
        """Take the lease and begin."""
        self._renewed = _now()
        self._store.register(self._worker_id, self._lease)
        for thread in (*self._threads, self._watcher):
            thread.start()

    def close(self) -> None:
        """Stop renewing, leave to others what is still in hand, and end the lease at once."""
        self._ended.set()
        for thread in self._threads:
            thread.join(timeout=5)
        held, self._over = self.holds, True  # what is given up may have a new owner before the next one is
        if held:  # who lost its lease over a subtask must not hide that: it counts as a death
            self._last("what was in hand could not be given up", self._runner.give_up)
        self._last("the lease could not be ended, it will pass", lambda: self._store.expire(self._worker_id))
        self._closed.set()
        self._watcher.join(timeout=5)

    def _last(self, failed: str, write: Callable[[], None]) -> None:
        try:
            with self._asking():
                write()
        except RemitError as error:
            log.warning("%s: %s", failed, error)

    @property
    def holds(self) -> bool:
        """True while the lease is surely ours and nothing is given up."""
        return not self._over and not self._passed

    @property
    def _passed(self) -> bool:
        """By either clock: the steady one stands still while a machine sleeps."""
        return any(now - then >= self._lease for now, then in zip(_now(), self._renewed, strict=True))

    def _renew(self) -> None:
        while not self._ended.wait(self._lease / 5):
            began = _now()
            try:
                with self._asking():
                    renewed = self._store.renew(self._worker_id, self._lease)
            except RemitError as error:
                log.warning("the lease could not be renewed: %s", error)
                renewed = self.holds
            else:
                if renewed:
                    self._renewed = began
            if not renewed:
                log.error("the lease has passed; this worker stops, its subtasks go on elsewhere")
                self._pool.stop()
                return

    @contextmanager
    def _asking(self) -> Generator[None]:
        """Around a question about the lease, so that one that hangs is seen."""
        self._asked += 1
        try:
            yield
        finally:
            self._answered = self._asked

    def _watch(self) -> None:
        """End the process when such a question hangs: a server that is stopped behind a local socket never says so.

        Other threads may hang in the same way, so nothing is waited for; what the worker held goes on elsewhere.
        """
        asked = looks = 0
        while not self._closed.wait(self._lease / LOOKS):
            hangs = self._asked != self._answered and self._asked == asked
            asked, looks = self._asked, looks + 1 if hangs else 0
            if looks >= HANGING and self._passed:
                log.error("the database does not answer and the lease has passed; this worker ends at once")
                leave(HUNG)

    def _sweep(self) -> None:
        while not self._ended.wait(pause()):
            try:
                if not self.look_after():
                    log.error("wake-ups go unheard though the broker answers; this worker ends, another takes over")
                    self._pool.stop()
                    return
            except RemitError as error:
                log.warning("this sweep was cut short: %s", error)
            except Exception:
                log.exception("a sweep broke")

    def look_after(self) -> bool:
        """Do what is due, if anything is: where all is at rest that is one question. False: this worker has to end."""
        if not self._runner.busy and self._store.at_rest(self._worker_id):
            return True
        self._runner.compare_with_store()
        self._sweeper.sweep()
        return not self._deaf()

    def _deaf(self) -> bool:
        """A consumer can be connected and deaf: it has free threads, hears nothing, and wake-ups lie unclaimed."""
        if self._runner.silence < DEAF_SECONDS or not self._pool.free_threads or not self._store.unclaimed():
            return False
        try:
            self._broker.ping()
        except BrokerError:
            return False
        return True


def pause() -> float:
    """Seconds until the next sweep; workers that began together do not go on sweeping together."""
    return SWEEP_SECONDS * random.uniform(0.7, 1.3)  # noqa: S311  # jitter, no secret


def _now() -> tuple[float, float]:
    """The steady clock and the wall clock."""
    return time.monotonic(), time.time()
