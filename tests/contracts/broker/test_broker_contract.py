"""What every adapter of the broker port does."""

import threading
import time
from typing import Any

import pytest

from orchestrator.errors import BrokerError


def test_each_wake_up_is_sent_in_order_and_said_to_be(sent: Any) -> None:
    """Ids come back and arrive as they were given, also those that are no identifiers and those given twice."""
    ids = ["a", "b", "a", "子任务-1", 'with "quotes" and \\']
    assert list(sent.broker.wake(ids)) == ids
    assert sent.waiting() == ids


def test_no_ids_are_no_wake_ups(sent: Any) -> None:
    """Nothing is sent for nobody."""
    assert list(sent.broker.wake([])) == []
    assert sent.waiting() == []


def test_many_wake_ups_go_out_together(sent: Any) -> None:
    """Thousands are sent in one call, none lost, none repeated."""
    ids = [f"s{n}" for n in range(3001)]
    assert list(sent.broker.wake(ids)) == ids
    assert sent.waiting() == ids


def test_threads_share_a_broker(sent: Any) -> None:
    """Wake-ups of many threads all arrive."""

    def wake(name: str) -> None:
        for n in range(25):
            assert list(sent.broker.wake([f"{name}.{n}"])) == [f"{name}.{n}"]

    threads = [threading.Thread(target=wake, args=(str(n),)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(sent.waiting()) == sorted(f"{name}.{n}" for name in range(8) for n in range(25))


def test_a_broker_that_is_away_takes_nothing_and_raises_nothing(sent: Any) -> None:
    """`wake` reports what was sent; `ping` says in one line that nobody answers; both are back with the broker."""
    assert list(sent.broker.wake(["a"])) == ["a"]
    sent.broker.ping()
    sent.take_away()
    assert list(sent.broker.wake(["b", "c"])) == []
    with pytest.raises(BrokerError) as caught:
        sent.broker.ping()
    assert "\n" not in str(caught.value)
    sent.bring_back()
    sent.broker.ping()
    deadline = time.monotonic() + 60
    while not sent.broker.wake(["d"]):
        assert time.monotonic() < deadline
    assert sent.waiting()[-1:] == ["d"]
