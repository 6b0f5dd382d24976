"""The Celery application of a worker and its only task: one turn of one subtask."""

import logging
from collections.abc import Callable
from contextvars import copy_context
from typing import Any

from celery import Celery

from orchestrator.adapters.celery_broker.wire import TURN, check_broker_url
from workers.celery_settings import as_conf

_log = logging.getLogger(__name__)


class TurnApp(Celery):
    """Celery, configured by us alone.

    Celery prefers CELERY_BROKER_URL and CELERY_RESULT_BACKEND to its own settings; a machine that has them for
    something else must not send our workers there.
    """

    backend_cls = "disabled"

    def connection_for_read(self, url: str | None = None, **options: Any) -> Any:
        """Connection used for consuming."""
        return super().connection_for_read(url or self.conf["broker_url"], **options)

    def connection_for_write(self, url: str | None = None, **options: Any) -> Any:
        """Connection used for producing."""
        return super().connection_for_write(url or self.conf["broker_url"], **options)


def make_app(broker_url: str, instance: str) -> Celery:
    """An application for one broker. Raises ConfigError when the URL cannot be used."""
    app = TurnApp("remit", loader="celery.loaders.app:AppLoader", set_as_current=False, fixups=[])
    app.conf.update(as_conf(check_broker_url(broker_url), instance))
    return app


def register_turn(app: Celery, run_turn: Callable[[str], None]) -> None:
    """Let `run_turn` run whenever a wake-up for a subtask arrives."""

    def turn(subtask_id: str) -> None:
        # Pool threads are used again and Celery leaves context variables standing: each turn gets a context of its own.
        copy_context().run(_run, run_turn, subtask_id)

    app.task(name=TURN, ignore_result=True, shared=False)(turn)


def _run(run_turn: Callable[[str], None], subtask_id: str) -> None:
    try:
        run_turn(subtask_id)
    except BaseException as error:  # noqa: BLE001  # the row tells what became of the turn; the pool must live on
        text = " ".join(str(error).split())
        _log.error("turn of subtask %s failed: %s: %s", subtask_id, type(error).__name__, text[:500])
        _log.debug("turn of subtask %s failed here", subtask_id, exc_info=error)
