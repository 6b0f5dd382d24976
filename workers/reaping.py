"""Reaping: ends the lease of a worker that is known to be dead, and hands on at once what it held.

    python -m workers.reaping WORKER

The supervisor starts this when a worker died, and its subtasks wait for it: nothing is imported that is not needed.
"""

import sys

from orchestrator.adapters.celery_broker.producer import CeleryBroker
from orchestrator.adapters.memory_broker import MemoryBroker
from orchestrator.adapters.otel.silent import SilentTelemetry
from orchestrator.adapters.sql import open_store
from orchestrator.config import Settings, load_settings
from orchestrator.engine.services.applying import Applier
from orchestrator.engine.services.sweeping import Sweeper
from orchestrator.errors import RemitError
from orchestrator.ports.clock import SystemClock


def reap(settings: Settings, worker_id: str) -> None:
    """End the worker's lease; whoever lives is woken for what it held. Raises StoreError, ConfigError."""
    store = open_store(settings.database, SystemClock())
    broker = CeleryBroker(settings.broker_url, settings.instance) if settings.broker_url else MemoryBroker()
    try:
        store.expire(worker_id)
        Sweeper(store, broker, Applier(store, broker, SilentTelemetry())).reclaim()
    finally:
        store.close()


def main(worker_id: str) -> int:
    """Reap; the exit code. What goes wrong is said in one line."""
    try:
        reap(load_settings(), worker_id)
    except RemitError as error:
        sys.stderr.write(f"remit: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
