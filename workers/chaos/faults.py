"""Meeting faults: a process comes to a point, and what the plan says happens to it, to the broker, or to its call."""

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import redis

from workers.chaos.hits import Hits
from workers.chaos.plan import read_plan
from workers.chaos.points import POINTS, Fault
from workers.embedded.valkey import redis_url

DELAY_SECONDS = 0.3
_BROKER_SECONDS = 3.0


class Faults:
    """The faults of one process."""

    def __init__(self, folder: Path, broker_url: str) -> None:
        self._plan = read_plan(folder)
        self._hits = Hits(folder)
        self._broker_url = broker_url

    def meet(self, name: str) -> Fault | None:
        """Come to a point. What is left to whoever called it is returned: `error`, `lose` or `twice`."""
        fault = self._hits.hit(POINTS[name], self._plan, os.getpid())
        match fault:
            case "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            case "stop":
                os.kill(os.getpid(), signal.SIGSTOP)
            case "term":
                os.kill(os.getpid(), signal.SIGTERM)
            case "delay":
                time.sleep(DELAY_SECONDS)
            case "flush":
                flush(self._broker_url)
            case "cut":
                cut(self._broker_url)
            case _:
                return fault
        return None


def flush(broker_url: str) -> None:
    """Empty the broker."""
    _tell(broker_url, lambda client: client.flushall())


def cut(broker_url: str) -> None:
    """Drop the connections of everybody who talks to the broker."""
    _tell(broker_url, lambda client: client.client_kill_filter(_type="normal", skipme=True))


def _tell(broker_url: str, do: Callable[[redis.Redis], object]) -> None:
    # Another fault may have killed it just now.
    with suppress(redis.RedisError, OSError):
        url = redis_url(broker_url)
        with redis.Redis.from_url(
            url, socket_timeout=_BROKER_SECONDS, socket_connect_timeout=_BROKER_SECONDS
        ) as client:
            do(client)
