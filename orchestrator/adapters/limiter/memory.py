"""The limiter of one process: the rules of pacing in memory."""

import threading
import time
from collections.abc import Callable

from orchestrator.adapters.limiter import pacing
from orchestrator.adapters.limiter.pacing import Key, News, Wish
from orchestrator.ports.limiter import Ask, Pace, Told

HEADROOM_A_SECOND = 0.9 / 60
MOST_KEYS = 1000


class MemoryLimiter:
    """Safe to share between threads."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._keys: dict[str, Key] = {}
        self._lock = threading.Lock()

    def take(self, ask: Ask, patience: float) -> Pace:
        """Take a place, if it is near enough."""
        with self._lock:
            now = self._clock()
            key = self._key(ask.key)
            wait, taken = pacing.take(key, wish_of(ask), now, patience)
            return Pace(wait, taken, now, learned=pacing.effective(key, now) * 60)

    def told(self, ask: Ask, told: Told) -> float:
        """Learn from an answer."""
        with self._lock:
            return pacing.told(self._key(ask.key), wish_of(ask), news_of(ask, told), self._clock())

    def close(self) -> None:
        """Nothing is held."""

    def _key(self, name: str) -> Key:
        if name not in self._keys and len(self._keys) >= MOST_KEYS:
            del self._keys[next(iter(self._keys))]
        return self._keys.setdefault(name, Key())


def wish_of(ask: Ask) -> Wish:
    """An ask in the units of the rules."""
    return Wish(
        ask.run, float(ask.tokens), (ask.rate.rpm or 0) * HEADROOM_A_SECOND, (ask.rate.tpm or 0) * HEADROOM_A_SECOND
    )


def news_of(ask: Ask, told: Told) -> News:
    """What was told in the units of the rules."""
    unused = 0.0 if told.used is None else float(ask.tokens - told.used)
    return News(told.asked_at, unused, told.refused, -1.0 if told.pause is None else told.pause)
