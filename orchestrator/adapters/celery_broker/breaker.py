"""A circuit breaker: after a failure it refuses for a moment, so that not each call pays a dead peer's time-out."""

import threading
import time
from collections.abc import Callable


class CircuitBreaker:
    """Closed until a failure, then open for `seconds`. Safe to share between threads."""

    def __init__(self, seconds: float, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._open_until: float | None = None
        self._failing = False

    def is_open(self) -> bool:
        """True while calls are to be refused."""
        with self._lock:
            return self._open_until is not None and self._monotonic() < self._open_until

    def failed(self) -> bool:
        """Note a failure; True when it is the first after a success."""
        with self._lock:
            first = not self._failing
            self._failing = True
            self._open_until = self._monotonic() + self._seconds
            return first

    def succeeded(self) -> bool:
        """Note a success; True when it is the first after a failure."""
        with self._lock:
            first = self._failing
            self._failing = False
            self._open_until = None
            return first
