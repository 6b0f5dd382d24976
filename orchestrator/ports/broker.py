"""The port of wake-ups: says to some worker that a subtask may be ready; losing or repeating one is harmless."""

from collections.abc import Sequence
from typing import Protocol

from orchestrator.domain.subtask import Lane


class Broker(Protocol):
    """Sends wake-ups to workers."""

    def wake(self, subtask_ids: Sequence[str], lane: Lane = "interactive") -> Sequence[str]:
        """Send a wake-up for each subtask of a lane; never blocks for more than some seconds, never raises.

        Returns those that were sent; the sweeper sends the others later.
        """
        ...

    def ping(self) -> None:
        """Raises BrokerError in one line when the broker does not answer within a few seconds."""
        ...
