"""A broker that loses and repeats wake-ups, when they are sent and when they arrive."""

import threading
from collections.abc import Callable, Sequence
from contextvars import copy_context

from orchestrator.domain.subtask import Lane
from orchestrator.ports.broker import Broker
from workers.chaos.faults import Faults


class DisturbedBroker:
    """The same broker, with faults around what is sent."""

    def __init__(self, inner: Broker, faults: Faults) -> None:
        self._inner = inner
        self._faults = faults

    def wake(self, subtask_ids: Sequence[str], lane: Lane = "interactive") -> Sequence[str]:
        """Send wake-ups, lose them while saying that they were sent, or send them twice, the last one first."""
        if not subtask_ids:
            return ()
        fault = self._faults.meet("wakeup.before")
        if fault == "lose":
            return subtask_ids
        if fault == "twice":
            self._inner.wake(subtask_ids[::-1], lane)
        sent = self._inner.wake(subtask_ids, lane)
        self._faults.meet("wakeup.after")
        return sent

    def ping(self) -> None:
        """Ask the broker whether it answers."""
        self._inner.ping()


def hearing(run: Callable[[str], None], faults: Faults) -> Callable[[str], None]:
    """What is done with a wake-up: it is worked on, forgotten, or worked on twice at the same time."""

    def heard(subtask_id: str) -> None:
        fault = faults.meet("receive")
        if fault == "lose":
            return
        if fault == "twice":
            context = copy_context()
            threading.Thread(target=context.run, args=(run, subtask_id), daemon=True).start()
        run(subtask_id)

    return heard
