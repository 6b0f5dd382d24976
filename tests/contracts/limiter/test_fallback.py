"""When Redis is gone each process keeps its share of the rate; there is never no limit."""

import logging
import signal
from collections.abc import Callable
from typing import Any

import pytest

from orchestrator.adapters.limiter.fallback import FallbackLimiter
from orchestrator.adapters.limiter.memory import MemoryLimiter
from orchestrator.adapters.limiter.redis import RedisLimiter
from orchestrator.ports.limiter import Ask, Told


@pytest.fixture
def limiter(own_valkey: Any, moment: Any) -> Any:
    """The limiter of one of four processes."""
    shared = RedisLimiter(own_valkey.url, "remit", moment)
    made = FallbackLimiter(shared, MemoryLimiter(moment), lambda: 4)
    yield made
    made.close()


def test_a_process_keeps_its_share(
    own_valkey: Any, limiter: Any, moment: Any, asking: Callable[..., Ask], caplog: pytest.LogCaptureFixture
) -> None:
    """A quarter of the rate, told once in the log."""
    ask = asking(rpm=240)
    assert limiter.take(ask, 0.0).taken
    own_valkey.kill()
    with caplog.at_level(logging.WARNING):
        taken = 0
        for _ in range(600):
            taken += limiter.take(ask, 0.0).taken
            moment.at += 0.1
    assert 50 <= taken <= 60
    assert len([one for one in caplog.records if "this process keeps its share" in one.message]) == 1


def test_what_was_learned_together_is_kept_by_each(
    own_valkey: Any, limiter: Any, moment: Any, asking: Callable[..., Ask]
) -> None:
    """Also where no rate is configured: a quarter of what the endpoint seemed to take."""
    ask = asking()
    sent = [limiter.take(ask, 0.0) for _ in range(80)]
    moment.at += 1
    limiter.told(ask, Told(sent[0].at, refused=True, pause=0.5))
    moment.at += 1
    assert limiter.take(ask, 0.0).learned == pytest.approx(40 * 60 * (1 + 1 / 30))
    own_valkey.kill()
    taken = 0
    for _ in range(600):
        taken += limiter.take(ask, 0.0).taken
        moment.at += 0.1
    assert 540 <= taken <= 600


def test_redis_that_comes_back_is_asked_again(
    own_valkey: Any,
    moment: Any,
    asking: Callable[..., Ask],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Empty and without the script, as after a restart: another process sees at once what this one took."""
    monkeypatch.setattr("orchestrator.adapters.limiter.fallback.LEFT_ALONE", 0.0)
    both = [FallbackLimiter(RedisLimiter(own_valkey.url, "remit", moment), MemoryLimiter(moment), lambda: 2)]
    both.append(FallbackLimiter(RedisLimiter(own_valkey.url, "remit", moment), MemoryLimiter(moment), lambda: 2))
    ask = asking(rpm=9)
    assert [one.take(ask, 0.0).taken for one in both] == [True, False]
    own_valkey.kill()
    assert [one.take(ask, 0.0).taken for one in both] == [True, True]  # each the first of its own share
    own_valkey.start()
    with caplog.at_level(logging.INFO):
        assert [one.take(ask, 0.0).taken for one in both] == [True, False]
    assert "Redis keeps the rate of models again" in caplog.text
    for one in both:
        one.close()


@pytest.mark.parametrize("how", ["hangs", "is full"])
def test_redis_that_is_there_and_of_no_use(own_valkey: Any, limiter: Any, asking: Callable[..., Ask], how: str) -> None:
    """It does not answer, or takes nothing more: the process keeps its share, and does not wait for ever."""
    ask = asking(rpm=36)
    assert limiter.take(ask, 0.0).taken
    if how == "hangs":
        own_valkey.send(signal.SIGSTOP)
    else:
        with own_valkey.client() as client:
            client.config_set("maxmemory", 1)
    assert [limiter.take(ask, 0.0).taken for _ in range(3)] == [True, False, False]


def test_a_pause_outlives_redis(own_valkey: Any, limiter: Any, moment: Any, asking: Callable[..., Ask]) -> None:
    """Whoever was told to leave the endpoint alone does so, though nobody else knows of it any more."""
    ask = asking()
    pace = limiter.take(ask, 0.0)
    assert limiter.told(ask, Told(pace.at, refused=True, pause=30.0)) >= 30.0
    own_valkey.kill()
    moment.at += 29.0
    assert not limiter.take(asking(run="r2"), 0.0).taken
    moment.at += 1.5
    assert limiter.take(asking(run="r2"), 2.0).taken


def test_a_refusal_without_redis_is_heard(own_valkey: Any, limiter: Any, asking: Callable[..., Ask]) -> None:
    """The process that was refused waits."""
    own_valkey.kill()
    ask = asking()
    pace = limiter.take(ask, 0.0)
    assert pace.taken
    assert limiter.told(ask, Told(pace.at, refused=True, pause=7.0)) == pytest.approx(7.0)
    assert not limiter.take(asking(run="r2"), 2.0).taken
