"""How a worker looks for its broker again: for ever, and never longer than two seconds apart."""

from typing import Any, cast

from workers.celery_app import make_app
from workers.turn_consumer import RETRY_MAX, TurnConsumer


class Connection:
    """Kombu's side: what it is asked to do."""

    def __init__(self) -> None:
        self.asked: dict[str, Any] = {}
        self.default_channel = cast("Any", type("Channel", (), {"do_restore": True})())

    def ensure_connection(self, errback: Any, max_retries: Any, **options: Any) -> "Connection":
        """Connect at once."""
        del errback
        self.asked = {**options, "max_retries": max_retries}
        return self


def test_it_looks_for_its_broker_for_ever_and_often() -> None:
    """After a minute without a broker as after three seconds; and nothing that was delivered is put back."""
    consumer: Any = object.__new__(TurnConsumer)
    consumer.app = make_app("redis://127.0.0.1:1/0", "test")
    connection = Connection()
    assert consumer.ensure_connected(connection) is connection
    assert connection.asked["max_retries"] is None
    assert connection.asked["interval_start"] < connection.asked["interval_max"] == RETRY_MAX <= 2.0
    assert connection.default_channel.do_restore is False
