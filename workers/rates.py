"""The limiter of a worker process: shared through the broker's server, or its share of the rate when that is gone."""

import time
from collections.abc import Callable
from contextlib import suppress

from orchestrator.adapters.limiter.fallback import FallbackLimiter
from orchestrator.adapters.limiter.memory import MemoryLimiter
from orchestrator.adapters.limiter.redis import RedisLimiter
from orchestrator.errors import StoreError
from orchestrator.ports.limiter import Limiter
from orchestrator.ports.store import Store

COUNTED_FOR = 10.0
"""Seconds for which the number of workers is believed."""


def open_limiter(broker_url: str, instance: str, store: Store) -> Limiter:
    """The limiter for models; its share without Redis is that of one of all workers that hold a lease."""
    return FallbackLimiter(RedisLimiter(broker_url, instance), MemoryLimiter(), WorkerCount(store))


class WorkerCount:
    """How many worker processes there are, asked of the database now and then."""

    def __init__(self, store: Store, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._monotonic = monotonic
        self._count = 1
        self._until = 0.0

    def __call__(self) -> int:
        """At least this one; while the database does not answer, as many as there were."""
        if self._monotonic() >= self._until:
            with suppress(StoreError):
                self._count = max(1, len(self._store.leases()))
            self._until = self._monotonic() + COUNTED_FOR
        return self._count
