"""The limiter on each of its adapters, on a clock that tests set, with a real Valkey behind the shared one."""

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest

from orchestrator.adapters.limiter.memory import MemoryLimiter
from orchestrator.adapters.limiter.redis import RedisLimiter
from orchestrator.domain.rates import Rate
from orchestrator.ports.limiter import Ask, Limiter, Pace

START = 1_790_000_000.0


class Moment:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.at = START

    def __call__(self) -> float:
        return self.at


class Traffic:
    """Callers that ask again and again on a set clock, and when their calls were sent."""

    def __init__(self, limiter: Limiter, moment: Moment) -> None:
        self.limiter, self.moment = limiter, moment
        self.sent: dict[str, list[float]] = defaultdict(list)
        self._calls: list[tuple[float, int, Ask, float]] = []
        self._order = count()

    def add(self, ask: Ask, callers: int, latency: float = 1.0, begins: float = 0.0) -> None:
        """So many callers, each of which asks again so long after its call was sent."""
        for _ in range(callers):
            self._push(self.moment.at + begins, ask, latency)

    def flow(self, seconds: float, patience: float = 2.0) -> None:
        """Let so much time pass."""
        end = self.moment.at + seconds
        while self._calls and self._calls[0][0] < end:
            self.moment.at, _, ask, latency = heapq.heappop(self._calls)
            pace = self.limiter.take(ask, patience)
            if pace.taken:
                assert pace.wait <= patience
                self.sent[ask.run].append(self.moment.at + pace.wait)
                self._push(self.moment.at + pace.wait + latency, ask, latency)
            else:
                assert pace.wait > 0
                self._push(self.moment.at + pace.wait, ask, latency)
        self.moment.at = end

    def most_in_a_minute(self) -> int:
        """The most calls that any minute has seen."""
        times = sorted(at for sent in self.sent.values() for at in sent)
        return max(sum(1 for other in times if at <= other < at + 60) for at in times)

    def _push(self, at: float, ask: Ask, latency: float) -> None:
        heapq.heappush(self._calls, (at, next(self._order), ask, latency))


@pytest.fixture
def moment() -> Moment:
    """The clock."""
    return Moment()


@pytest.fixture(params=["memory", "redis"])
def limiter(request: pytest.FixtureRequest, moment: Moment) -> Iterator[Limiter]:
    """Each adapter in turn, empty."""
    if request.param == "memory":
        yield MemoryLimiter(moment)
        return
    server: Any = request.getfixturevalue("valkey")
    with server.client() as client:
        client.flushall()
    made = RedisLimiter(server.url, "remit", moment)
    yield made
    made.close()


@pytest.fixture
def traffic(limiter: Limiter, moment: Moment) -> Traffic:
    """Callers of the limiter."""
    return Traffic(limiter, moment)


@pytest.fixture
def asking() -> Callable[..., Ask]:
    """Make an ask for model `m`."""

    def make(
        run: str = "r1", rpm: int | None = None, tpm: int | None = None, tokens: int = 100, key: str = "e/m"
    ) -> Ask:
        return Ask(key, run, tokens, Rate(rpm=rpm, tpm=tpm))

    return make


@pytest.fixture
def took(limiter: Limiter) -> Callable[[Ask], Pace]:
    """Take a place however far it is."""

    def take(ask: Ask) -> Pace:
        pace = limiter.take(ask, 10**9)
        assert pace.taken
        return pace

    return take
