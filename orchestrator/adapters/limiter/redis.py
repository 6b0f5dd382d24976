"""The limiter of all workers: one script in Redis a call, on the server's clock."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qs, unquote, urlsplit

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from orchestrator.adapters.celery_broker.wire import key_prefix
from orchestrator.adapters.limiter.memory import news_of, wish_of
from orchestrator.ports.limiter import Ask, Pace, Told

SCRIPT = Path(__file__).with_name("pacing.lua")
SECONDS = 1.0
"""The longest that a call of a model waits for Redis."""


class RedisLimiter:
    """Raises redis.RedisError when the server does not answer; `FallbackLimiter` stands in front of it."""

    def __init__(self, url: str, instance: str, clock: Callable[[], float] | None = None) -> None:
        """`url`: that of the broker. `clock`: for tests, instead of the server's."""
        self._client = client(url)
        self._prefix = f"{key_prefix(instance)}rate:"
        self._clock = clock
        self._script = self._client.register_script(SCRIPT.read_text("utf-8"))

    def take(self, ask: Ask, patience: float) -> Pace:
        """Take a place, if it is near enough."""
        wait, taken, at, learned = self._run("take", ask, patience)
        return Pace(float(wait), bool(taken), float(at), learned=float(learned) * 60)

    def told(self, ask: Ask, told: Told) -> float:
        """Learn from an answer."""
        news = news_of(ask, told)
        answer = self._run("told", ask, news.asked_at, news.unused, int(news.refused), news.pause)
        return float(answer[0])

    def close(self) -> None:
        """Give the connections back."""
        self._client.close()

    def _run(self, op: str, ask: Ask, *more: float) -> list[Any]:
        wish = wish_of(ask)
        now = "" if self._clock is None else repr(self._clock())
        rates = (repr(wish.tokens), repr(wish.requests_rate), repr(wish.tokens_rate))
        keys = [f"{self._prefix}{ask.key}{part}" for part in ("", ":runs", ":line")]
        return cast("list[Any]", self._script(keys, [op, now, ask.run, *rates, *map(repr, more)]))


def client(url: str) -> redis.Redis:
    """A client for a broker URL, as `wire` describes them; it does not try again by itself."""
    options: dict[str, Any] = {
        "socket_timeout": SECONDS,
        "socket_connect_timeout": SECONDS,
        "retry": Retry(NoBackoff(), 0),
        "decode_responses": True,
    }
    parts = urlsplit(url)
    if parts.scheme == "redis+socket":
        database = parse_qs(parts.query).get("virtual_host", ["0"])[0].lstrip("/")
        return redis.Redis(unix_socket_path=unquote(parts.path), db=int(database or 0), **options)
    return redis.Redis.from_url(url, **options)
