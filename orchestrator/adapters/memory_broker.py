"""The broker port in memory: keeps wake-ups in a list, for tests and for trying things out without a broker."""

import threading
from collections.abc import Sequence

from orchestrator.domain.subtask import Lane
from orchestrator.errors import BrokerError


class MemoryBroker:
    """Records wake-ups, of each lane in order. While `down` is set it behaves like a broker that is away."""

    def __init__(self, *, down: bool = False) -> None:
        self.down = down
        self._lock = threading.Lock()
        self._woken: dict[Lane, list[str]] = {"interactive": [], "batch": []}

    @property
    def woken(self) -> tuple[str, ...]:
        """The wake-ups that were sent and not yet taken: interactive ones first, of each lane the oldest."""
        with self._lock:
            return self._all()

    def wake(self, subtask_ids: Sequence[str], lane: Lane = "interactive") -> Sequence[str]:
        """Send a wake-up for each subtask."""
        if self.down:
            return ()
        with self._lock:
            self._woken[lane].extend(subtask_ids)
        return tuple(subtask_ids)

    def take(self) -> tuple[str, ...]:
        """Remove and return all wake-ups, as a worker that reads its queue empty would."""
        with self._lock:
            taken = self._all()
            for queue in self._woken.values():
                queue.clear()
        return taken

    def _all(self) -> tuple[str, ...]:
        return (*self._woken["interactive"], *self._woken["batch"])

    def ping(self) -> None:
        """Raises BrokerError while the broker is down."""
        if self.down:
            raise BrokerError("the broker is down", where="memory")
