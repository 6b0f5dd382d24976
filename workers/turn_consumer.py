"""Celery's consumer, made to come back from whatever the broker does or sends."""

import logging
import time
from typing import Any

from celery import Celery
from celery.worker.consumer import Consumer
from celery.worker.loops import asynloop
from celery.worker.state import maybe_shutdown
from kombu.exceptions import InconsistencyError

RETRY_START = 0.2
RETRY_STEP = 0.4
RETRY_MAX = 2.0
SAY_AGAIN_SECONDS = 60.0

_log = logging.getLogger(__name__)


class TurnConsumer(Consumer):
    """Reconnects within two seconds of the broker's return; no message can end the worker."""

    app: Celery
    _said_at: float | None = None

    def ensure_connected(self, conn: Any) -> Any:
        """Connect, trying for ever. Celery's own pauses grow to 30 s, which is how long wake-ups would lie."""
        connected = conn.ensure_connection(
            self._say,
            self.app.conf.broker_connection_max_retries,
            interval_start=RETRY_START,
            interval_step=RETRY_STEP,
            interval_max=RETRY_MAX,
            callback=maybe_shutdown,
        )
        # What was delivered is in hand and will run; Kombu would put it back when the connection breaks, to run twice.
        connected.default_channel.do_restore = False
        self.first_connection_attempt = False
        if self._said_at is not None:
            self._said_at = None
            _log.warning("connected to the broker again")
        return connected

    def loop(self, *args: Any) -> None:
        """Consume. An error that no connection explains, as of a message nobody can read, costs a reconnect only."""
        try:
            asynloop(*args)
        except self.connection_errors:
            raise
        except Exception as error:
            _log.error("consuming failed: %s: %s", type(error).__name__, error)
            raise InconsistencyError("consuming failed") from error

    def on_close(self) -> None:
        """Forget what belonged to the old connection.

        Celery walks through weak sets that pool threads change at the same time, which raises now and then;
        left alone that would end the worker.
        """
        for _ in range(10):
            try:
                return super().on_close()
            except RuntimeError:
                continue
        return None

    def _say(self, error: BaseException, interval: float) -> None:
        now = time.monotonic()
        if self._said_at is None or now - self._said_at > SAY_AGAIN_SECONDS:
            self._said_at = now
            _log.warning("cannot connect to the broker: %s; trying again every %.0f s", error, max(interval, RETRY_MAX))
