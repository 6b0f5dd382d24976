"""Publishing to a real broker in every bad state: it is quick, raises nothing, and says what was sent."""

import signal
import socket
import time
from pathlib import Path
from typing import Any

import orjson
import pytest

from orchestrator.adapters.celery_broker.producer import CeleryBroker
from orchestrator.errors import BrokerError


def test_a_wake_up_is_a_celery_message(valkey: Any, broker: CeleryBroker) -> None:
    """JSON, Celery's protocol 2, by task name, without anything that Celery would do later or send back."""
    broker.wake(["s1"])
    with valkey.client() as client:
        message = orjson.loads(client.rpop("one:turns"))
    headers, properties = message["headers"], message["properties"]
    assert message["content-type"] == "application/json"
    assert (headers["task"], headers["lang"], headers["ignore_result"]) == ("remit.turn", "py", True)
    assert [headers[name] for name in ("eta", "expires", "group", "retries")] == [None, None, None, 0]
    assert headers["timelimit"] == [None, None]
    assert headers["id"] == properties["correlation_id"] != ""
    assert properties["reply_to"] == ""


def test_nothing_is_written_but_the_queue(valkey: Any, broker: CeleryBroker) -> None:
    """One key, which has the instance's prefix."""
    broker.wake(["s1", "s2"])
    assert valkey.keys() == {"one:turns"}


def test_a_stopped_broker_holds_a_call_up_for_some_seconds_once(valkey: Any, broker: CeleryBroker) -> None:
    """A half-open connection costs one time-out; a hundred calls after it cost next to nothing."""
    broker.wake(["a"])
    valkey.send(signal.SIGSTOP)
    began = time.monotonic()
    assert list(broker.wake(["b"])) == []
    first = time.monotonic() - began
    began = time.monotonic()
    assert [list(broker.wake([str(n)])) for n in range(100)] == [[]] * 100
    hundred = time.monotonic() - began
    valkey.send(signal.SIGCONT)
    assert first < 30.0
    assert hundred < 30.0


def test_a_broker_stopped_before_the_first_call_holds_it_up_no_longer(valkey: Any) -> None:
    """The same when the connection has yet to be made: the kernel accepts it, nobody answers."""
    valkey.send(signal.SIGSTOP)
    producer = CeleryBroker(valkey.url, "one")
    began = time.monotonic()
    with pytest.raises(BrokerError, match="does not answer"):
        producer.ping()
    assert time.monotonic() - began < 30.0
    began = time.monotonic()
    assert list(producer.wake(["a"])) == []
    assert time.monotonic() - began < 30.0
    valkey.send(signal.SIGCONT)
    producer.close()


def test_a_full_broker_refuses_without_an_exception(absent: Any) -> None:
    """Out of memory on publish: not sent; once there is room, sent."""
    absent.start("--maxmemory", "3mb", "--maxmemory-policy", "noeviction")
    producer = CeleryBroker(absent.url, "one")
    assert list(producer.wake(["a"])) == ["a"]
    with absent.client() as client:
        client.config_set("maxmemory", "1")
        assert list(producer.wake(["b"])) == []
        assert client.llen("one:turns") == 1
        client.config_set("maxmemory", "0")
    began = time.monotonic()
    while not producer.wake(["c"]):
        assert time.monotonic() - began < 30.0
    producer.close()


def test_a_broker_that_came_back_takes_the_next_wake_up_at_once(valkey: Any, broker: CeleryBroker) -> None:
    """A restart between two calls is not even noticed: the dead connection is seen to be dead."""
    broker.wake(["a"])
    valkey.kill()
    valkey.start()
    assert list(broker.wake(["b"])) == ["b"]


def test_one_line_tells_of_an_outage_and_one_of_its_end(
    valkey: Any, broker: CeleryBroker, caplog: pytest.LogCaptureFixture
) -> None:
    """However many calls fail, the log has one warning."""
    valkey.kill()
    until = time.monotonic() + 2.5
    while time.monotonic() < until:
        assert list(broker.wake(["a"])) == []
    assert len([record for record in caplog.records if record.name.startswith("orchestrator")]) == 1
    assert "wake-ups are held back, the broker failed: ConnectionError" in caplog.text
    valkey.start()


def test_a_broker_over_tcp_takes_wake_ups_too(absent: Any) -> None:
    """`redis://` with a host, a port and a database."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    absent.start("--port", str(port), "--bind", "127.0.0.1")
    producer = CeleryBroker(f"redis://127.0.0.1:{port}/3", "one")
    assert list(producer.wake(["a"])) == ["a"]
    with absent.client() as client:
        client.select(3)
        assert client.llen("one:turns") == 1
    producer.close()


def test_a_socket_in_a_folder_with_odd_characters_can_be_named(valkey: Any, tmp_path: Path) -> None:
    """Percent-escapes in the path are resolved; `virtual_host` chooses the database."""
    link = valkey.folder / "a b%c"
    link.symlink_to(valkey.socket)
    producer = CeleryBroker(f"redis+socket://{valkey.folder}/a%20b%25c?virtual_host=2", "one")
    producer.ping()
    producer.wake(["a"])
    with valkey.client() as client:
        client.select(2)
        assert client.llen("one:turns") == 1
    producer.close()


def test_celerys_own_variable_does_not_send_wake_ups_elsewhere(valkey: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """CELERY_BROKER_URL, set for something else on this machine, is not ours."""
    monkeypatch.setenv("CELERY_BROKER_URL", "redis://127.0.0.1:1/0")
    producer = CeleryBroker(valkey.url, "one")
    assert list(producer.wake(["a"])) == ["a"]
    producer.close()
