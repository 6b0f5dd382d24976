"""The rules in Lua are those in Python, and on the server's own clock all clients see one endpoint."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator.adapters.limiter.memory import MemoryLimiter
from orchestrator.adapters.limiter.redis import RedisLimiter
from orchestrator.domain.rates import Rate
from orchestrator.ports.limiter import Ask, Told

asks = st.builds(
    Ask,
    key=st.just("e/m"),
    run=st.sampled_from(["r1", "r2", "运行"]),
    tokens=st.integers(0, 5000),
    rate=st.builds(Rate, rpm=st.sampled_from([None, 5, 60, 1000]), tpm=st.sampled_from([None, 10_000])),
)
takes = st.tuples(st.just("take"), asks, st.sampled_from([0.0, 2.0, 1e9]), st.none())
pauses = st.one_of(st.none(), st.floats(0, 40))
tolds = st.tuples(
    st.just("told"),
    asks,
    st.integers(0, 20),
    st.builds(Told, st.just(0.0), st.one_of(st.none(), st.integers(0, 5000)), st.booleans(), pauses),
)
happenings = st.lists(
    st.tuples(st.sampled_from([0.0, 0.01, 1.3, 12.0, 700.0]), st.one_of(takes, takes, tolds)), max_size=40
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(happenings)
def test_lua_and_python_say_the_same(valkey: Any, moment: Any, things: list[Any]) -> None:
    """Whatever is asked and told, and however much time passes between."""
    with valkey.client() as client:
        client.flushall()
    shared, own = RedisLimiter(valkey.url, "same", moment), MemoryLimiter(moment)
    at = [moment.at]
    for passes, (what, ask, number, told) in things:
        moment.at += passes
        if what == "take":
            left, right = shared.take(ask, number), own.take(ask, number)
            assert (left.taken, left.at) == (right.taken, right.at)
            assert (left.wait, left.learned) == pytest.approx((right.wait, right.learned))
            at.append(right.at)
        else:
            news = Told(at[number % len(at)], told.used, told.refused, told.pause)
            assert shared.told(ask, news) == pytest.approx(own.told(ask, news))
    shared.close()


def test_all_clients_share_one_rate(valkey: Any, asking: Callable[..., Ask]) -> None:
    """On the clock of the server; instances do not see each other."""
    one, two, other = (RedisLimiter(valkey.url, name) for name in ("clients", "clients", "another"))
    ask = asking(rpm=1)
    assert one.take(ask, 0.0).taken
    away = two.take(ask, 0.0)
    assert not away.taken
    assert 60 < away.wait < 68
    assert other.take(ask, 0.0).taken
    for client in (one, two, other):
        client.close()


def test_what_is_kept_in_redis_passes(valkey: Any, asking: Callable[..., Ask]) -> None:
    """Every key of an endpoint is gone an hour after its last call."""
    limiter = RedisLimiter(valkey.url, "passing")
    limiter.take(asking(rpm=1), 0.0)
    limiter.take(asking(rpm=1), 0.0)
    with valkey.client() as client:
        keys = [key.decode() for key in client.scan_iter("passing:*")]
        assert sorted(keys) == [f"passing:rate:e/m{part}" for part in ("", ":line", ":runs")]
        assert all(3590 < client.ttl(key) <= 3600 for key in keys)
    limiter.close()
