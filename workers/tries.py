"""What is done at each try at a call of a model: its rate is kept, and what a lost try may have cost is charged."""

import threading
from collections.abc import Generator
from contextlib import contextmanager

from agents.models.openai_chat.tries import TryEvent
from workers.meter import TurnMeter


class _Turn(threading.local):
    """A turn runs in one thread, and asks its model there."""

    run: str = ""
    meter: TurnMeter | None = None


class Tries:
    """Listens to the models of one worker process; see `OnTry`."""

    def __init__(self) -> None:
        self._turn = _Turn()

    @contextmanager
    def turn(self, run: str, meter: TurnMeter | None) -> Generator[None]:
        """Whatever this thread's models do in the block is done for this run, and counted by this meter."""
        self._turn.run, self._turn.meter = run, meter
        try:
            yield
        finally:
            self._turn.run, self._turn.meter = "", None

    def __call__(self, event: TryEvent) -> None:
        """A try is about to be sent, or it has ended."""
        meter = self._turn.meter
        if meter is None:
            return
        if event.phase == "start":
            meter.once_more()
        elif event.failure is not None and may_have_cost(event):
            meter.lost()


def may_have_cost(event: TryEvent) -> bool:
    """A request that went out and got no whole reply may have been answered and paid for; an error's page was not."""
    return event.sent and (event.status is None or event.status < 400)
