"""That Celery knows each of our settings and is configured by nobody else."""

from dataclasses import asdict

import pytest
from celery.app.defaults import DEFAULTS

from orchestrator.errors import ConfigError
from workers.celery_app import make_app, register_turn
from workers.celery_settings import CelerySettings, transport_options

URL = "redis+socket:///run/v.sock"


def test_celery_knows_every_setting() -> None:
    """A setting that a new Celery has renamed or dropped is noticed here."""
    assert set(asdict(CelerySettings())) <= set(DEFAULTS)


def test_the_settings_that_messages_may_be_lost_under() -> None:
    """Every value that was found by killing things reaches the application's configuration."""
    conf = make_app(URL, "one").conf
    found = {name: conf[name] for name in asdict(CelerySettings())}
    assert found == asdict(CelerySettings())
    expected = {
        "task_acks_late": False,
        "task_ignore_result": True,
        "worker_disable_prefetch": True,
        "worker_prefetch_multiplier": 1,
        "task_reject_on_worker_lost": False,
        "worker_cancel_long_running_tasks_on_connection_loss": False,
        "worker_enable_prefetch_count_reduction": False,
        "task_publish_retry": False,
        "broker_connection_timeout": 3.0,
        "broker_connection_max_retries": None,
        "task_create_missing_queues": False,
        "accept_content": ("json",),
        "task_serializer": "json",
        "enable_utc": True,
        "worker_send_task_events": False,
    }
    assert {name: found[name] for name in expected} == expected
    assert conf["broker_transport_options"] == {
        "ack_emulation": False,
        "socket_timeout": 10.0,
        "socket_connect_timeout": 3.0,
        "socket_keepalive": True,
        "health_check_interval": 10,
        "global_keyprefix": "one:",
        "queue_order_strategy": "orchestrator.adapters.celery_broker.lanes:LaneCycle",
    }
    assert transport_options("two").global_keyprefix == "two:"


def test_only_our_queues_are_read() -> None:
    """One for each lane, declared; another name is an error."""
    app = make_app(URL, "one")
    assert list(app.amqp.queues.consume_from) == ["turns", "turns.batch"]  # pyright: ignore[reportOptionalMemberAccess]
    with pytest.raises(KeyError):
        app.amqp.queues["turn"]  # pyright: ignore[reportOptionalMemberAccess]


def test_celerys_own_variables_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A broker or result backend set for another program on this machine is not used."""
    for name in ("CELERY_BROKER_URL", "CELERY_BROKER_READ_URL", "CELERY_BROKER_WRITE_URL"):
        monkeypatch.setenv(name, "redis://elsewhere:1/0")
    monkeypatch.setenv("CELERY_RESULT_BACKEND", "redis://elsewhere:1/0")
    app = make_app(URL, "one")
    assert app.connection_for_read().as_uri() == "redis+socket:///run/v.sock"
    assert app.connection_for_write().as_uri() == "redis+socket:///run/v.sock"
    assert type(app.backend).__name__ == "DisabledBackend"


def test_an_unusable_url_is_said_when_the_application_is_made() -> None:
    """Not when the first message is waited for."""
    with pytest.raises(ConfigError, match="amqp"):
        make_app("amqp://localhost", "one")


def test_the_turn_is_the_only_task_of_ours() -> None:
    """It is registered under the name that the producer sends, with applications independent of each other."""
    app, other = make_app(URL, "one"), make_app(URL, "two")
    turns: list[str] = []
    register_turn(app, turns.append)
    assert [name for name in app.tasks if not name.startswith("celery.")] == ["remit.turn"]
    assert [name for name in other.tasks if not name.startswith("celery.")] == []
    app.tasks["remit.turn"]("s1")
    assert turns == ["s1"]
