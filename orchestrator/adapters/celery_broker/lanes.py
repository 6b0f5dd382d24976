"""The order in which a worker looks into its queues: interactive work first, and batch work in every fifth turn."""

from collections.abc import Iterable

from orchestrator.adapters.celery_broker.wire import QUEUES

IN_A_ROW = 4
"""So many interactive turns follow each other at most while batch work waits."""


class LaneCycle:
    """Kombu's order of queues, once a connection: it looks into the first one that holds a message."""

    def __init__(self) -> None:
        self._queues: list[str] = []
        self._in_a_row = 0

    def update(self, queues: Iterable[str]) -> None:
        """The queues that are read from now on."""
        self._queues = sorted(queues, key=lambda queue: queue == QUEUES["batch"])

    def consume(self, most: int) -> list[str]:
        """The queues in the order in which the next message is looked for."""
        ordered = self._queues[::-1] if self._in_a_row >= IN_A_ROW else self._queues
        return ordered[:most]

    def rotate(self, last: str) -> str:
        """A message of the queue `last` was taken."""
        self._in_a_row = 0 if last == QUEUES["batch"] or self._in_a_row >= IN_A_ROW else self._in_a_row + 1
        return last
