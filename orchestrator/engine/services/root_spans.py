"""Root spans: the span of a whole run is exported once it has ended, whoever ended it and whoever died meanwhile."""

import logging
import threading

from orchestrator.domain.run import Run
from orchestrator.domain.subtask import subtask_id
from orchestrator.engine.intake import PLAN
from orchestrator.errors import RemitError
from orchestrator.ports.store import Store
from orchestrator.ports.telemetry import Telemetry

log = logging.getLogger(__name__)

ABANDONED_SECONDS = 60.0
"""When the run has ended for so long, whoever ended it will not say any more that its span is exported."""


class RootSpans:
    """Exports root spans, and notes in the store which ones have surely left this process.

    A process killed between the two leaves a run without the note: another exports the span again, under the same id.
    """

    def __init__(self, store: Store, telemetry: Telemetry) -> None:
        self._store = store
        self._telemetry = telemetry
        self._lock = threading.Lock()
        self._exported: list[str] = []

    def ended(self, run_id: str) -> None:
        """Export the span of a run that this process has just ended."""
        self._export(self._store.run_of(subtask_id(run_id, PLAN)))  # every run has a planner

    def sweep(self, limit: int) -> int:
        """Export what others left behind and note what was exported; how many runs were noted. Raises StoreError."""
        for run in self._store.untraced(ABANDONED_SECONDS, limit):
            log.info("the root span of %s is exported; whoever ended the run did not say so", run.id)
            self._export(run)
        return self._note()

    def close(self) -> None:
        """Note what was exported, as the process ends; what cannot be noted is exported again elsewhere."""
        try:
            self._note()
        except RemitError as error:
            log.warning("root spans will be exported again: %s", error)

    def _export(self, run: Run) -> None:
        attributes = {"remit.run": run.id, "remit.team": run.rules.team, "remit.status": run.status}
        end = run.finished_at or run.created_at
        self._telemetry.root(run.trace, f"run {run.rules.team}", run.created_at, end, attributes)
        with self._lock:
            self._exported.append(run.id)

    def _note(self) -> int:
        with self._lock:
            exported, self._exported = self._exported, []
        if exported:
            self._telemetry.flush()
            self._store.traced(exported)
        return len(exported)
