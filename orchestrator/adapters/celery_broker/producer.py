"""The broker port over Celery: wake-ups go out best effort, and nothing here keeps a caller waiting or raises at it."""

import logging
import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from orchestrator.adapters.celery_broker.breaker import CircuitBreaker
from orchestrator.adapters.celery_broker.wire import check_broker_url, queue_of, without_password
from orchestrator.domain.subtask import Lane
from orchestrator.errors import BrokerError

if TYPE_CHECKING:
    from orchestrator.adapters.celery_broker.link import Link

CALL_SECONDS = 1.5
"""How long a call starts further batches; the connection's own time limits bound the last one to as much again."""
BREAK_SECONDS = 1.0
BATCH = 500

_log = logging.getLogger(__name__)


class CeleryBroker:
    """Publishes wake-ups for `remit.turn`. Threads share one connection; it is opened at the first use."""

    def __init__(self, url: str, instance: str) -> None:
        """Nothing is opened yet. Raises ConfigError for a URL that cannot be used (see `wire`)."""
        self._url = check_broker_url(url)
        self._instance = instance
        self._breaker = CircuitBreaker(BREAK_SECONDS)
        self._lock = threading.Lock()
        self._link: Link | None = None

    def wake(self, subtask_ids: Sequence[str], lane: Lane = "interactive") -> Sequence[str]:
        """Send a wake-up for each subtask; the ids of those that were surely sent."""
        if not subtask_ids or self._breaker.is_open():
            return ()
        with self._lock:
            # Whoever waited for a call that failed must not pay for the same failure again.
            if self._breaker.is_open():
                return ()
            return self._publish(subtask_ids, queue_of(lane))

    def ping(self) -> None:
        """Raises BrokerError in one line when the broker does not answer."""
        with self._lock:
            try:
                self._opened().ping()
            except Exception as error:  # noqa: BLE001  # whatever Kombu, redis-py or a socket says becomes one line
                self._drop()
                self._breaker.failed()
                raise BrokerError(
                    f"the broker does not answer: {_line(error)}",
                    where=without_password(self._url),
                    mend="Check that it runs and that the URL is right.",
                ) from None
            self._breaker.succeeded()

    def close(self) -> None:
        """Close the connection; the next call opens another."""
        with self._lock:
            self._drop()

    def _publish(self, subtask_ids: Sequence[str], queue: str) -> Sequence[str]:
        sent = 0
        try:
            link = self._opened()
            until = time.monotonic() + CALL_SECONDS
            while sent < len(subtask_ids) and time.monotonic() < until:
                batch = subtask_ids[sent : sent + BATCH]
                link.publish(batch, queue)
                sent += len(batch)
        except Exception as error:  # noqa: BLE001  # the port promises that a wake-up never raises; the sweeper sends again
            self._drop()
            if self._breaker.failed():
                _log.warning("wake-ups are held back, the broker failed: %s", _line(error))
        else:
            if self._breaker.succeeded():
                _log.info("the broker takes wake-ups again")
        return subtask_ids[:sent]

    def _opened(self) -> "Link":
        if self._link is None:
            # Celery, Kombu and redis-py take half a second to import; commands that send nothing do not pay for it.
            from orchestrator.adapters.celery_broker.link import Link  # noqa: PLC0415

            self._link = Link(self._url, self._instance)
        return self._link

    def _drop(self) -> None:
        link, self._link = self._link, None
        if link is not None:
            try:
                link.close()
            except Exception as error:  # noqa: BLE001  # closing a broken connection may fail in any way
                _log.debug("closing the broker's connection failed: %s", _line(error))


def _line(error: BaseException) -> str:
    cause = error.__cause__ or error
    text = " ".join(str(cause).split())
    return f"{type(cause).__name__}: {text}"[:300]
