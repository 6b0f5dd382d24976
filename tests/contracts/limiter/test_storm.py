"""An endpoint of which nobody knows what it takes: few requests are refused, and each run gets its share."""

import heapq
from collections import Counter
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from orchestrator.ports.limiter import Ask, Limiter, Pace, Told

LATENCY, BURST = 1.0, 5


class Endpoint:
    """Takes so many requests a second, some at once, and refuses others with or without a word for how long."""

    def __init__(self, a_second: float, retry_after: float | None) -> None:
        self.a_second = a_second
        self.retry_after = retry_after
        self._full_at = 0.0

    def takes(self, now: float) -> bool:
        """Whether a request is answered that comes now."""
        self._full_at = max(self._full_at, now)
        if self._full_at - now > (BURST - 1) / self.a_second:
            return False
        self._full_at += 1 / self.a_second
        return True


class Storm:
    """Callers of some runs, each of whom asks again as soon as he may; what was answered and refused, by run."""

    def __init__(self, limiter: Limiter, moment: Any, endpoint: Endpoint) -> None:
        self._limiter, self._moment, self._endpoint = limiter, moment, endpoint
        self._events: list[tuple[float, int, Ask, Pace | None]] = []
        self._order = count()
        self.answered: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()

    def add(self, ask: Ask, callers: int) -> None:
        """So many callers."""
        for _ in range(callers):
            self._later(0.0, ask, None)

    def rage(self, seconds: float) -> None:
        """Let so much time pass."""
        end = self._moment.at + seconds
        while self._events[0][0] < end:
            self._moment.at, _, ask, sends = heapq.heappop(self._events)
            if sends is not None:
                self._send(ask, sends)
                continue
            pace = self._limiter.take(ask, 2.0)
            self._later(pace.wait, ask, pace if pace.taken else None)
        self._moment.at = end

    def _send(self, ask: Ask, pace: Pace) -> None:
        sent_at = pace.at + pace.wait
        if self._endpoint.takes(self._moment.at):
            self.answered[ask.run] += 1
            wait = LATENCY + self._limiter.told(ask, Told(sent_at, used=ask.tokens))
        else:
            self.refused[ask.run] += 1
            wait = self._limiter.told(ask, Told(sent_at, refused=True, pause=self._endpoint.retry_after))
        self._later(wait, ask, None)

    def _later(self, wait: float, ask: Ask, sends: Pace | None) -> None:
        heapq.heappush(self._events, (self._moment.at + wait, next(self._order), ask, sends))


@pytest.mark.parametrize("retry_after", [None, 1.0, 5.0])
def test_a_storm_is_over_soon_and_shared_fairly(
    limiter: Limiter, moment: Any, asking: Callable[..., Ask], retry_after: float | None
) -> None:
    """Forty callers of one run and four of another want twenty times what there is: after a minute hardly a request is
    refused, most of what the endpoint takes is used, and either run has about half of it."""
    storm = Storm(limiter, moment, Endpoint(2.0, retry_after))
    storm.add(asking("large"), callers=40)
    storm.add(asking("small"), callers=4)
    storm.rage(60)
    storm.answered.clear()
    storm.refused.clear()
    storm.rage(600)
    answered, refused = storm.answered.total(), storm.refused.total()
    assert answered >= 0.5 * 2.0 * 600
    assert refused <= 0.05 * answered
    assert 0.6 < storm.answered["small"] / storm.answered["large"] < 1.6
