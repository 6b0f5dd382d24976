"""Applying: one transaction, then the wake-ups for what it made ready."""

import logging
from collections.abc import Callable, Sequence

from orchestrator.domain.changes import CancelRun, Change, EndRun, Fence
from orchestrator.engine.services.root_spans import RootSpans
from orchestrator.errors import ConflictError
from orchestrator.ports.broker import Broker
from orchestrator.ports.store import Applied, Store
from orchestrator.ports.telemetry import Telemetry

log = logging.getLogger(__name__)

MOST_CONFLICTS = 50
"""A decision taken anew this often lost against somebody each time; then something is broken."""


class Applier:
    """Commits changes, then tells workers; a wake-up that is lost is sent again by the sweeper."""

    def __init__(self, store: Store, broker: Broker, telemetry: Telemetry) -> None:
        self._store = store
        self._broker = broker
        self.roots = RootSpans(store, telemetry)

    def apply(self, changes: Sequence[Change], fence: Fence | None = None) -> Applied:
        """Apply the changes and publish after the commit. Raises as `Store.apply`."""
        applied = self._store.apply(changes, fence)
        behind = set(applied.batch)
        if urgent := tuple(one for one in applied.ready if one not in behind):
            self._broker.wake(urgent)
        if applied.batch:
            self._broker.wake(applied.batch, "batch")
        for change in changes:
            if isinstance(change, EndRun | CancelRun):
                self.roots.ended(change.run_id)
        return applied

    def decide(self, decide: Callable[[], Sequence[Change]], fence: Fence | None = None) -> Applied:
        """Apply what `decide` says, and let it decide anew when somebody else was first.

        `decide` reads and calls a station; it must be free of other effects. Raises ConflictError after many tries.
        """
        for attempt in range(MOST_CONFLICTS):
            try:
                return self.apply(decide(), fence)
            except ConflictError as conflict:
                log.debug("decision %d lost: %s", attempt, conflict)
        raise ConflictError("the plan of the run changed too often", mend="Try again.")
