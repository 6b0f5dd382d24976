"""`remit worker` and `remit reap`: a worker process, and the end of a dead one's lease."""

import logging
from collections.abc import Callable
from typing import Annotated

import typer

from orchestrator.config import Settings


def worker_command(settings: Callable[[], Settings]) -> Callable[..., None]:
    """The function behind `remit worker`."""

    def worker(
        worker_id: Annotated[str | None, typer.Option("--id", hidden=True)] = None,
        ready_fd: Annotated[int | None, typer.Option("--ready-fd", hidden=True)] = None,
    ) -> None:
        """Take wake-ups from the broker and run turns, until told to stop (SIGTERM)."""
        from workers.worker import work  # noqa: PLC0415  # Celery is imported by workers only

        given = settings()
        logging.basicConfig(level=given.log_level, format="%(asctime)s %(levelname)s %(name)s %(message)s")
        if given.log_level != "DEBUG":
            for name in ("celery", "alembic", "kombu", "httpx2"):  # two lines a wake-up would drown what we say
                logging.getLogger(name).setLevel(logging.WARNING)
        raise typer.Exit(work(given, worker_id, ready_fd))

    return worker


def reap_command(settings: Callable[[], Settings]) -> Callable[..., None]:
    """The function behind `remit reap`."""

    def reap(worker_id: Annotated[str, typer.Argument(help="The id of a worker that is known to be dead.")]) -> None:
        """End the lease of a dead worker at once; its subtasks go on elsewhere."""
        from workers.reaping import reap as reap_worker  # noqa: PLC0415  # the database layer is slow to import

        reap_worker(settings(), worker_id)

    return reap
