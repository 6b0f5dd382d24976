"""Sweeping: what nobody else will do: lost wake-ups, dead owners, times to wake, deadlines of tickets, root spans."""

import logging

from orchestrator.domain.changes import Admit, Reclaim, Wake
from orchestrator.domain.subtask import Lane
from orchestrator.engine import escalating
from orchestrator.engine.services.applying import Applier
from orchestrator.errors import ConflictError
from orchestrator.ports.broker import Broker
from orchestrator.ports.store import Store

log = logging.getLogger(__name__)

BATCH = 200


class Sweeper:
    """One sweep is a few indexed queries; every worker process sweeps, and two at once do no harm."""

    def __init__(self, store: Store, broker: Broker, applier: Applier) -> None:
        self._store = store
        self._broker = broker
        self._applier = applier

    def sweep(self) -> int:
        """Do what is due, at most some hundred rows of each kind; how many rows were moved."""
        moved = self.reclaim() + self._wake() + self._expire() + self._admit()
        moved += self._notify("interactive") + self._notify("batch")
        return moved + self._applier.roots.sweep(BATCH)

    def reclaim(self) -> int:
        """Take what workers hold whose lease has passed, and have others woken for it; how many subtasks that were."""
        held = self._store.abandoned(BATCH)
        for one in held:
            try:
                self._applier.apply([Reclaim(one.subtask_id, one.owner, one.epoch)])
            except ConflictError:
                log.debug("%s was taken from %s by somebody else", one.subtask_id, one.owner)
            else:
                log.warning("%s is taken from %s, whose lease has passed", one.subtask_id, one.owner)
        return len(held)

    def _wake(self) -> int:
        due = self._store.due(BATCH)
        if due:
            self._applier.apply([Wake(subtask_id) for subtask_id in due])
        return len(due)

    def _expire(self) -> int:
        overdue = self._store.overdue_tickets(BATCH)
        for ticket in overdue:
            try:
                self._applier.apply(escalating.expired(ticket))
            except ConflictError:
                log.info("ticket %s was closed while its deadline passed", ticket.id)
        return len(overdue)

    def _admit(self) -> int:
        """Let in whom a cap held back just when a place was given back."""
        line = self._store.next_in_line(BATCH)
        if line:
            self._applier.apply([Admit(tuple(line))])
        return len(line)

    def _notify(self, lane: Lane) -> int:
        waiting = self._store.to_notify(BATCH, lane)
        if waiting:
            sent = self._broker.wake(waiting, lane)
            self._store.notified(sent)
        return len(waiting)
