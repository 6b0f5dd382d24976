"""The settings of Celery and Kombu that keep their promises; every one was chosen by killing things.

A message is only a wake-up: it may be lost, repeated or reordered. Whatever would make Celery keep, retry or
re-deliver one is off, because each of those was seen to run work twice or to end the worker.
"""

from dataclasses import dataclass, fields

from kombu.entity import Exchange, Queue

from orchestrator.adapters.celery_broker.wire import QUEUES, TransportOptions, key_prefix, queue_of, tls_of


@dataclass(frozen=True, slots=True)
class CelerySettings:
    """Celery's settings that do not depend on where the broker is; the names are Celery's own."""

    task_acks_late: bool = False
    """Late: a dropped connection runs every turn in hand a second time, a broker restart ends the worker."""
    task_ignore_result: bool = True
    task_reject_on_worker_lost: bool = False
    task_publish_retry: bool = False
    task_create_missing_queues: bool = False
    """A misspelt queue is an error, not a queue that nobody reads."""
    task_send_sent_event: bool = False
    worker_disable_prefetch: bool = True
    """Only for Redis: take a message when a thread is free, so that none waits behind a busy worker."""
    worker_prefetch_multiplier: int = 1
    worker_enable_prefetch_count_reduction: bool = False
    worker_cancel_long_running_tasks_on_connection_loss: bool = False
    worker_disable_rate_limits: bool = True
    worker_enable_remote_control: bool = False
    """Nobody who reaches the broker can revoke or shut down; and there is one connection less that could go deaf."""
    worker_send_task_events: bool = False
    worker_hijack_root_logger: bool = False
    worker_redirect_stdouts: bool = False
    worker_detect_quorum_queues: bool = False
    broker_connection_timeout: float = 3.0
    """Bounds how long Kombu tries again to open a channel; one attempt is bounded by `socket_connect_timeout` below."""
    broker_connection_retry_on_startup: bool = True
    broker_connection_max_retries: int | None = None
    """None: for ever."""
    broker_heartbeat: int = 0
    enable_utc: bool = True
    timezone: str = "UTC"
    task_serializer: str = "json"
    result_serializer: str = "json"
    event_serializer: str = "json"
    accept_content: tuple[str, ...] = ("json",)


READ_SECONDS = 10.0
CONNECT_SECONDS = 3.0


def transport_options(instance: str) -> TransportOptions:
    """Of the connection that a worker reads from."""
    return TransportOptions(
        global_keyprefix=key_prefix(instance), socket_timeout=READ_SECONDS, socket_connect_timeout=CONNECT_SECONDS
    )


def as_conf(broker_url: str, instance: str, settings: CelerySettings | None = None) -> dict[str, object]:
    """Everything as Celery's configuration takes it."""
    chosen = settings or CelerySettings()
    return {
        **{field.name: getattr(chosen, field.name) for field in fields(chosen)},
        "broker_url": broker_url,
        "broker_use_ssl": tls_of(broker_url),
        "broker_transport_options": transport_options(instance).as_kombu(),
        "task_queues": [Queue(name, Exchange(name), routing_key=name) for name in QUEUES.values()],
        "task_default_queue": queue_of(),
    }
