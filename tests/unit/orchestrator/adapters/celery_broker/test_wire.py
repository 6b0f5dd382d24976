"""Which broker URLs can be used, and what is said about the others."""

import ssl
from typing import Any, cast

import pytest
from kombu.connection import Connection
from kombu.transport.redis import Channel
from kombu.utils.scheduling import cycle_by_name

from orchestrator.adapters.celery_broker.lanes import LaneCycle
from orchestrator.adapters.celery_broker.wire import (
    QUEUES,
    TransportOptions,
    check_broker_url,
    key_prefix,
    queue_of,
    tls_of,
    without_password,
)
from orchestrator.errors import ConfigError


def connect(url: str) -> Connection:
    """Kombu's connection, not opened, made as ours are."""
    return Connection(url, ssl=cast("Any", tls_of(url)))


@pytest.mark.parametrize(
    "url",
    [
        "redis://localhost",
        "redis://localhost:6379/0",
        "redis://user:p%40ss@broker.example:7000/12",
        "redis://[::1]:6379/0",
        "rediss://broker.example:6380/0?ssl_cert_reqs=none",
        "redis+socket:///run/remit/v.sock",
        "redis+socket:///run/remit/v.sock?virtual_host=3",
        f"redis+socket:///{'x' * 106}",
    ],
)
def test_urls_that_kombu_takes_are_taken(url: str) -> None:
    """Each is handed through unchanged, and Kombu makes a Redis connection of it."""
    assert check_broker_url(url) == url
    assert connect(url).transport.driver_type == "redis"


@pytest.mark.parametrize(
    ("url", "what"),
    [
        ("", "no scheme"),
        ("localhost:6379", "localhost://"),
        ("amqp://localhost", "amqp://"),
        ("unix:///run/v.sock", "unix://"),
        ("socket:///run/v.sock", "socket://"),
        ("redis://", "no usable host and port"),
        ("redis://localhost:port/0", "no usable host and port"),
        ("redis://localhost:6379/zero", "'zero', not a number"),
        ("redis://a:6379;redis://b:6379", "no usable host and port"),
        ("redis+socket://run/v.sock", "absolute path"),
        ("redis+socket:///", "absolute path"),
        (f"redis+socket:///{'x' * 107}", "108 bytes, 107 are possible"),
        (f"redis+socket:///{'é' * 54}", "109 bytes, 107 are possible"),
    ],
)
def test_urls_that_cannot_be_used_are_said_in_one_line(url: str, what: str) -> None:
    """What is wrong, that it is the broker's URL, and what one looks like."""
    with pytest.raises(ConfigError) as caught:
        check_broker_url(url)
    said = str(caught.value)
    assert what in said
    assert said.startswith("REMIT_BROKER_URL: ")
    assert "\n" not in said


def test_a_password_is_not_shown() -> None:
    """Neither in errors nor elsewhere."""
    assert without_password("redis://u:secret@h:1/0") == "redis://u:**@h:1/0"
    assert without_password("redis://h:1/0") == "redis://h:1/0"
    with pytest.raises(ConfigError) as caught:
        check_broker_url("redis://u:secret@h:1/x")
    assert "secret" not in str(caught.value)


def test_an_encrypted_broker_must_prove_who_it_is() -> None:
    """Certificates are checked unless the URL itself says otherwise; Kombu alone would check none."""
    assert tls_of("redis://h") is None
    checked = connect("rediss://h")
    assert checked.ssl == {"ssl_cert_reqs": ssl.CERT_REQUIRED, "ssl_check_hostname": True}
    unchecked = connect("rediss://h?ssl_cert_reqs=none")
    assert unchecked.ssl == {"ssl_cert_reqs": ssl.CERT_NONE}


def test_kombu_knows_every_transport_option() -> None:
    """An option that a new Kombu no longer reads is noticed here."""
    options = TransportOptions("p:", 1.0, 1.0).as_kombu()
    assert set(options) <= set(Channel.from_transport_options)
    assert options["ack_emulation"] is False
    assert cycle_by_name(options["queue_order_strategy"]) is LaneCycle
    assert options["health_check_interval"] == 10
    assert options["socket_keepalive"] is True


def test_instances_and_lanes_have_keys_of_their_own() -> None:
    """The prefix ends with a colon, so that no instance's keys begin like another's."""
    assert key_prefix("remit") == "remit:"
    assert queue_of() == queue_of("interactive") == QUEUES["interactive"] == "turns"
    assert queue_of("batch") == QUEUES["batch"] == "turns.batch"
