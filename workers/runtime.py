"""The composition root: from settings to the services that faces and workers are handed."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from orchestrator.adapters.blobs.folder import FolderBlobs
from orchestrator.adapters.celery_broker.producer import CeleryBroker
from orchestrator.adapters.memory_broker import MemoryBroker
from orchestrator.adapters.otel.opening import open_telemetry
from orchestrator.adapters.sql import open_store
from orchestrator.config import Settings
from orchestrator.engine.services.answering import Answers
from orchestrator.engine.services.applying import Applier
from orchestrator.engine.services.checking import Checker
from orchestrator.engine.services.reading import Reader
from orchestrator.engine.services.results import Results
from orchestrator.engine.services.submitting import Submitter
from orchestrator.ports.blobs import Blobs
from orchestrator.ports.broker import Broker
from orchestrator.ports.clock import Clock, SystemClock
from orchestrator.ports.store import Store
from orchestrator.ports.telemetry import Telemetry
from workers.drafts import TeamDrafter
from workers.home import make_private


@dataclass(frozen=True, slots=True)
class Runtime:
    """Everything that is made once per process."""

    settings: Settings
    clock: Clock
    store: Store
    blobs: Blobs
    broker: Broker
    telemetry: Telemetry
    applier: Applier
    checker: Checker
    submitter: Submitter
    answers: Answers
    reader: Reader
    results: Results


@contextmanager
def runtime(settings: Settings, broker_url: str | None, service: str) -> Generator[Runtime]:
    """Open everything, hand it out, close it. Without a broker URL no wake-ups are sent: for commands that only read.

    Raises StoreError, ConfigError, InputError in one line.
    """
    make_private(settings.home)
    clock = SystemClock()
    database = open_store(settings.database, clock)
    store: Store = database
    blobs: Blobs = FolderBlobs(settings.blob_folder)
    broker: Broker = CeleryBroker(broker_url, settings.instance) if broker_url else MemoryBroker()
    otlp = bool(settings.otlp_endpoint or settings.otlp_traces_endpoint)
    telemetry: Telemetry = open_telemetry(settings.home / "traces", service, otlp=otlp)
    if settings.chaos is not None:
        from workers.chaos.wrapping import disturbed  # noqa: PLC0415  # only where `remit chaos` breaks things

        ports = disturbed(settings, database, blobs, broker, telemetry)
        store, blobs, broker, telemetry = ports.store, ports.blobs, ports.broker, ports.telemetry
    applier = Applier(store, broker, telemetry)
    checker = Checker(store, blobs)
    try:
        yield Runtime(
            settings=settings,
            clock=clock,
            store=store,
            blobs=blobs,
            broker=broker,
            telemetry=telemetry,
            applier=applier,
            checker=checker,
            submitter=Submitter(applier, blobs, clock, telemetry, settings.purse),
            answers=Answers(store, applier),
            reader=Reader(store, applier),
            results=Results(store, blobs, checker, TeamDrafter(blobs)),
        )
    finally:
        applier.roots.close()
        telemetry.close()
        store.close()
