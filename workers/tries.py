"""What is done at each try at a call of a model: its rate is kept, and what a lost try may have cost is charged."""

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from urllib.parse import urlsplit

from agents.models.openai_chat.quotas import longest_wait
from agents.models.openai_chat.tries import TryEvent
from orchestrator.domain.rates import Rates
from orchestrator.ports.limiter import Ask, Limiter, Told
from workers.errors import MustWaitError
from workers.meter import TurnMeter

PATIENCE = 2.0
"""Seconds that a thread may wait for an endpoint's rate; longer waits are rows."""
LONGEST_RETRY_AFTER = 3600.0
LONGEST_QUOTA = 60.0
"""Seconds that are believed of a header: whoever asks after that is told again."""
_TOO_FAST = 429


class _Turn(threading.local):
    """A turn runs in one thread, and asks its model there."""

    run: str = ""
    meter: TurnMeter | None = None
    sent_at: float = 0.0


class Tries:
    """Listens to the models of one worker process; see `OnTry`. Without a limiter no rate is kept."""

    def __init__(
        self,
        limiter: Limiter | None = None,
        rates: Rates | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._limiter = limiter
        self._rates = rates or Rates()
        self._sleep = sleep
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
        """A try is about to be sent, or it has ended. Raises MustWaitError, LimitReachedError."""
        if event.phase == "start":
            self._begins(event)
        else:
            self._ended(event)

    def _begins(self, event: TryEvent) -> None:
        if self._limiter is not None:
            pace = self._limiter.take(self._ask(event), PATIENCE)
            if not pace.taken:
                raise MustWaitError(event.model, pace.wait)
            if pace.wait > 0:
                self._sleep(pace.wait)
            self._turn.sent_at = pace.at + pace.wait
        if self._turn.meter is not None:
            self._turn.meter.once_more()

    def _ended(self, event: TryEvent) -> None:
        if self._turn.meter is not None and event.failure is not None and may_have_cost(event):
            self._turn.meter.lost()
        if self._limiter is None:
            return
        refused = event.status == _TOO_FAST and event.again
        wait = self._limiter.told(self._ask(event), _told(event, self._turn.sent_at, refused=refused))
        if refused and (wait > PATIENCE or event.attempt > 1):
            raise MustWaitError(event.model, wait)

    def _ask(self, event: TryEvent) -> Ask:
        host = urlsplit(event.address).netloc or event.address
        tokens = event.sent_tokens + event.most_output
        return Ask(f"{host}/{event.model}", self._turn.run, tokens, self._rates.of(event.model))


def may_have_cost(event: TryEvent) -> bool:
    """A request that went out and got no whole reply may have been answered and paid for; an error's page was not."""
    return event.sent and (event.status is None or event.status < 400)


def _told(event: TryEvent, sent_at: float, *, refused: bool) -> Told:
    used = None if event.usage is None else event.usage.input_tokens + event.usage.output_tokens
    if refused and used is None:
        used = 0
    if event.retry_after is not None:
        pause: float | None = min(event.retry_after, LONGEST_RETRY_AFTER)
    else:
        pause = min(longest_wait(event.quotas, event.sent_tokens), LONGEST_QUOTA) or None
    return Told(sent_at, used, refused=refused, pause=pause)
