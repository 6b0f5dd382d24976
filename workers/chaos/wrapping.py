"""Puts the decorators of chaos around the ports of a process; called by the composition root, only where a plan is."""

from collections.abc import Callable
from dataclasses import dataclass

from orchestrator.adapters.sql.store import SqlStore
from orchestrator.config import Settings
from orchestrator.errors import DefectError
from orchestrator.ports.blobs import Blobs
from orchestrator.ports.broker import Broker
from orchestrator.ports.store import Store
from workers.chaos.faults import Faults
from workers.chaos.wrapped_blobs import DisturbedBlobs
from workers.chaos.wrapped_broker import DisturbedBroker, hearing
from workers.chaos.wrapped_store import DisturbedStore


@dataclass(frozen=True, slots=True)
class Ports:
    """The ports of a process."""

    store: Store
    blobs: Blobs
    broker: Broker


def faults_of(settings: Settings) -> Faults:
    """The faults that this process is to meet."""
    if settings.chaos is None:
        raise DefectError("no plan of faults is set", where="REMIT_CHAOS")
    return Faults(settings.chaos, settings.broker_url or "")


def disturbed(settings: Settings, store: SqlStore, blobs: Blobs, broker: Broker) -> Ports:
    """The ports with faults around them."""
    faults = faults_of(settings)
    return Ports(DisturbedStore(store, faults), DisturbedBlobs(blobs, faults), DisturbedBroker(broker, faults))


def disturbed_hearing(settings: Settings, run: Callable[[str], None]) -> Callable[[str], None]:
    """What is done with a wake-up, with faults before it."""
    return hearing(run, faults_of(settings))
