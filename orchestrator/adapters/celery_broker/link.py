"""One connection to the broker that publishes wake-ups as Celery messages."""

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from celery import Celery
from kombu.connection import Connection
from kombu.messaging import Producer

from orchestrator.adapters.celery_broker.wire import TURN, TransportOptions, key_prefix, tls_of

ORIGIN = "remit"
READ_SECONDS = 1.5
CONNECT_SECONDS = 1.5


class Link:
    """An open connection; not safe to share between threads. Raises whatever Kombu, redis-py and the sockets raise."""

    def __init__(self, url: str, instance: str) -> None:
        self._app: Any = Celery("remit", set_as_current=False, fixups=[], autofinalize=False)
        self._app.conf.update(
            broker_url=url,
            broker_use_ssl=tls_of(url),
            # Kombu would try again for four seconds, asleep for two of them; the sweeper tries again anyway.
            broker_transport_options={**_options(instance).as_kombu(), "max_retries": 0},
        )
        # Named once more because Celery would prefer its own variable CELERY_BROKER_URL to the setting above.
        self._connection: Connection = self._app.connection_for_write(url=url)
        self._producer = Producer(self._connection.default_channel, auto_declare=False)

    def publish(self, subtask_ids: Sequence[str], queue: str) -> None:
        """Send one message for each subtask, in a single round trip."""
        with self._producer.batch(max_size=max(1, len(subtask_ids))):
            for subtask_id in subtask_ids:
                self._publish(subtask_id, queue)

    def ping(self) -> None:
        """Ask the broker for a sign of life."""
        self._producer.channel.client.ping()

    def close(self) -> None:
        """Give the sockets back."""
        self._connection.release()

    def _publish(self, subtask_id: str, queue: str) -> None:
        # `send_task` would route, declare the queue and merge retry policies for each message: four times the work,
        # and a declaration writes keys, which a full broker refuses. The message is the same.
        message = self._app.amqp.as_task_v2(
            str(uuid4()), TURN, args=(subtask_id,), ignore_result=True, argsrepr="", kwargsrepr="", origin=ORIGIN
        )
        self._producer.publish(
            message.body,
            exchange="",
            routing_key=queue,
            serializer="json",
            headers=message.headers,
            retry=False,
            **message.properties,
        )


def _options(instance: str) -> TransportOptions:
    return TransportOptions(
        global_keyprefix=key_prefix(instance), socket_timeout=READ_SECONDS, socket_connect_timeout=CONNECT_SECONDS
    )
