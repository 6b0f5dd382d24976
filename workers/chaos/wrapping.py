"""Puts the decorators of chaos around the ports of a process; called by the composition root, only where a plan is."""

from collections.abc import Callable
from dataclasses import dataclass

from orchestrator.adapters.sql.store import SqlStore
from orchestrator.config import Settings
from orchestrator.errors import DefectError
from orchestrator.ports.blobs import Blobs
from orchestrator.ports.broker import Broker
from orchestrator.ports.limiter import Limiter
from orchestrator.ports.store import Store
from orchestrator.ports.telemetry import Telemetry
from workers.chaos.faults import Faults
from workers.chaos.wrapped_blobs import DisturbedBlobs
from workers.chaos.wrapped_broker import DisturbedBroker, hearing
from workers.chaos.wrapped_limiter import DisturbedLimiter
from workers.chaos.wrapped_store import DisturbedStore
from workers.chaos.wrapped_telemetry import DisturbedTelemetry


@dataclass(frozen=True, slots=True)
class Ports:
    """The ports of a process."""

    store: Store
    blobs: Blobs
    broker: Broker
    telemetry: Telemetry


def faults_of(settings: Settings) -> Faults:
    """The faults that this process is to meet."""
    if settings.chaos is None:
        raise DefectError("no plan of faults is set", where="REMIT_CHAOS")
    return Faults(settings.chaos, settings.broker_url or "")


def disturbed(settings: Settings, store: SqlStore, blobs: Blobs, broker: Broker, telemetry: Telemetry) -> Ports:
    """The ports with the faults of this process around them."""
    return disturbed_by(faults_of(settings), store, blobs, broker, telemetry)


def disturbed_by(faults: Faults, store: SqlStore, blobs: Blobs, broker: Broker, telemetry: Telemetry) -> Ports:
    """The ports with these faults around them."""
    return Ports(
        DisturbedStore(store, faults),
        DisturbedBlobs(blobs, faults),
        DisturbedBroker(broker, faults),
        DisturbedTelemetry(telemetry, faults),
    )


def disturbed_limiter(settings: Settings, limiter: Limiter) -> Limiter:
    """The limiter of a worker with faults around it."""
    return DisturbedLimiter(limiter, faults_of(settings))


def disturbed_hearing(settings: Settings, run: Callable[[str], None]) -> Callable[[str], None]:
    """What is done with a wake-up, with faults before it."""
    return hearing(run, faults_of(settings))
