"""A brood of workers: one process that has imported everything forks them, and forks another when one dies.

A killed worker costs seconds of importing otherwise, and a proof kills a thousand. The supervisor starts it in place of
one worker, as `python -m workers.proof.brood COUNT WORKER_ID READY_FD`; it ends when it is told to.
"""

import gc
import importlib
import logging
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from types import FrameType
from typing import NoReturn

from orchestrator.config import Settings, load_settings
from orchestrator.errors import RemitError
from workers.embedded.ready import tell_ready
from workers.runtime import runtime
from workers.worker import work

log = logging.getLogger(__name__)

Do = Callable[[], int]
"""What a child does with its life; its exit code."""

LATE_IMPORTS = (
    "celery.concurrency.thread",
    "celery.worker.consumer.consumer",
    "kombu.transport.redis",
    "orchestrator.adapters.celery_broker.link",
    "psycopg_pool",
    "workers.chaos.team.playbook",
    "workers.chaos.team.tools",
    "workers.chaos.wrapped_agents",
)
"""What a worker imports when it needs it."""


class Brood:
    """The workers, and the short-lived processes that end the leases of dead ones. One thread."""

    def __init__(self, settings: Settings, worker_id: str) -> None:
        self._settings = settings
        self._worker_id = worker_id
        self._born = 0
        self._workers: dict[int, str] = {}
        self._stopping = False

    def keep(self, count: int) -> None:
        """Keep so many workers alive until told to stop; then until the last one has ended."""
        signal.signal(signal.SIGTERM, self._stop)
        while not self._stopping or self._workers:
            while not self._stopping and len(self._workers) < count:
                self._bear()
            pid, status = os.waitpid(-1, 0)
            dead = self._workers.pop(pid, None)
            if dead is not None and os.waitstatus_to_exitcode(status) != 0:
                self._fork(partial(_expire, self._settings, dead))

    def _bear(self) -> None:
        self._born += 1
        worker_id = f"{self._worker_id}.{self._born}"
        self._workers[self._fork(lambda: work(self._settings, worker_id, None))] = worker_id

    def _fork(self, do: Do) -> int:
        pid = os.fork()
        if pid == 0:
            live(do)
        return pid

    def _stop(self, number: int, frame: FrameType | None) -> None:
        del frame
        self._stopping = True
        for pid in self._workers:
            with suppress(ProcessLookupError):
                os.kill(pid, number)


def live(do: Do) -> NoReturn:
    """The whole life of a child; nothing of its parent's may follow."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    code = 1
    try:
        code = do()
    except RemitError as error:
        log.warning("a worker could not go on: %s", error)
    except BaseException:
        log.exception("a worker broke")
    finally:
        logging.shutdown()
        os._exit(code)


def _expire(settings: Settings, worker_id: str) -> int:
    """End the lease of a dead worker, as a supervisor has it done."""
    quiet = settings.model_copy(update={"chaos": None})
    with runtime(quiet, quiet.broker_url, "remit") as opened:
        opened.store.expire(worker_id)
    return 0


def main() -> None:
    """Import, fork, and look after the forked."""
    count, worker_id, ready_fd = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    settings = load_settings()
    logging.basicConfig(level=settings.log_level, format="%(asctime)s %(process)d %(levelname)s %(name)s %(message)s")
    for name in ("celery", "alembic", "kombu"):
        logging.getLogger(name).setLevel(logging.WARNING)
    for module in LATE_IMPORTS:
        importlib.import_module(module)
    gc.collect()
    gc.freeze()  # what was imported is never collected: no child copies its pages
    tell_ready(ready_fd)
    Brood(settings, worker_id).keep(count)


if __name__ == "__main__":
    main()
