"""The broker port on each of its adapters, with a way to take the broker away and to see what was sent."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from orchestrator.adapters.celery_broker.producer import CeleryBroker
from orchestrator.adapters.memory_broker import MemoryBroker
from orchestrator.ports.broker import Broker
from workers.celery_app import make_app


@dataclass(frozen=True)
class Sent:
    """A broker, how many wake-ups lie in it by subtask, and how to take it away and bring it back."""

    broker: Broker
    waiting: Callable[[], list[str]]
    take_away: Callable[[], None]
    bring_back: Callable[[], None]


def _received(url: str) -> list[str]:
    """What a worker would be handed, in order, decoded by Celery's own consumer; the queue is empty afterwards."""
    app = make_app(url, "remit")
    found: list[str] = []
    with app.connection_for_read() as connection:
        queue = app.amqp.queues["turns"](connection.default_channel)  # pyright: ignore[reportOptionalMemberAccess]
        while (message := queue.get(no_ack=True, accept=["json"])) is not None:
            (args, _, _) = message.decode()
            assert message.headers["task"] == "remit.turn"
            found.extend(args)
    return found


def _in_memory() -> Sent:
    broker = MemoryBroker()

    def down(*, now: bool) -> None:
        broker.down = now

    return Sent(broker, lambda: list(broker.take()), lambda: down(now=True), lambda: down(now=False))


@pytest.fixture(params=["memory", "celery"])
def sent(request: pytest.FixtureRequest) -> Iterator[Sent]:
    """Each adapter in turn."""
    if request.param == "memory":
        yield _in_memory()
        return
    server: Any = request.getfixturevalue("own_valkey")
    broker = CeleryBroker(server.url, "remit")
    yield Sent(broker, lambda: _received(server.url), server.kill, server.start)
    broker.close()
