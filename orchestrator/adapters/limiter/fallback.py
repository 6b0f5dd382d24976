"""Keeps the rate also when Redis is gone: each process then keeps to its share of what is known."""

import logging
from collections.abc import Callable
from dataclasses import replace

import redis

from orchestrator.adapters.celery_broker.breaker import CircuitBreaker
from orchestrator.adapters.limiter.memory import MemoryLimiter
from orchestrator.domain.rates import Rate
from orchestrator.ports.limiter import Ask, Limiter, Pace, Told

log = logging.getLogger(__name__)

LEFT_ALONE = 5.0
"""Seconds for which a server that did not answer is not asked again."""


class FallbackLimiter:
    """`shared` while it answers, else `own` with a share of the rate; `processes` tells among how many it is shared."""

    def __init__(self, shared: Limiter, own: MemoryLimiter, processes: Callable[[], int]) -> None:
        self._shared = shared
        self._own = own
        self._processes = processes
        self._breaker = CircuitBreaker(LEFT_ALONE)
        self._learned: dict[str, float] = {}

    def take(self, ask: Ask, patience: float) -> Pace:
        """Take a place, if it is near enough."""
        if not self._breaker.is_open():
            try:
                pace = self._shared.take(ask, patience)
            except redis.RedisError as error:
                self._failed(error)
            else:
                self._worked()
                self._learned[ask.key] = pace.learned
                return pace
        return self._own.take(self._share(ask), patience)

    def told(self, ask: Ask, told: Told) -> float:
        """Learn from an answer."""
        if not self._breaker.is_open():
            try:
                wait = self._shared.told(ask, told)
            except redis.RedisError as error:
                self._failed(error)
            else:
                self._worked()
                self._remember(ask, told)
                return wait
        return self._own.told(self._share(ask), told)

    def close(self) -> None:
        """Give the connections back."""
        self._shared.close()

    def _remember(self, ask: Ask, told: Told) -> None:
        """For as long as the endpoint wants to be left alone by whom it told so, also should Redis die meanwhile."""
        if told.pause:
            self._own.told(ask, Told(told.asked_at, pause=told.pause))

    def _share(self, ask: Ask) -> Ask:
        learned = self._learned.get(ask.key, 0.0)
        rate = ask.rate
        if learned:
            rate = Rate(rpm=max(1, min(int(learned), rate.rpm or int(learned))), tpm=rate.tpm)
        return replace(ask, rate=rate.shared_by(self._processes()))

    def _failed(self, error: redis.RedisError) -> None:
        if self._breaker.failed():
            log.warning("Redis does not keep the rate of models; this process keeps its share: %s", error)

    def _worked(self) -> None:
        if self._breaker.succeeded():
            log.info("Redis keeps the rate of models again")
