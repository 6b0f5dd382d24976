"""The meter of a run: which of its own limits has been reached, counting what this turn used."""

from orchestrator.domain.finding import Ending
from orchestrator.domain.run import Run
from orchestrator.ports.store import Store


class RunMeter:
    """Reads once what the run had used when the turn began; nothing is read when the run has no limit."""

    def __init__(self, run: Run, store: Store) -> None:
        self._limits = run.goal.limits
        self._tokens, self._steps, self._seconds = 0, 0, 0.0
        if self._limits.tokens is not None:
            self._tokens = sum(one.input_tokens + one.output_tokens for one in store.usage(run.id))
        if self._limits.steps is not None or self._limits.seconds is not None:
            self._steps, self._seconds = store.worked(run.id)

    def reached(self, tokens: int, steps: int) -> Ending | None:
        """The limit that is reached with `tokens` and `steps` of this turn."""
        limits = self._limits
        if limits.tokens is not None and self._tokens + tokens >= limits.tokens:
            return Ending.TOKEN_LIMIT
        if limits.steps is not None and self._steps + steps >= limits.steps:
            return Ending.RUN_LIMIT
        if limits.seconds is not None and self._seconds >= limits.seconds:
            return Ending.RUN_LIMIT
        return None
