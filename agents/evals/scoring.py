"""Counts what trials came to: how many passed, unsupported figures, steps, tokens, time and cost."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from agents.evals.judging import Judged


@dataclass(frozen=True, slots=True)
class Score:
    """All trials of one variant, or of one case under it."""

    trials: int
    passed: int
    right: int
    unsupported: int
    steps: float
    """Of a trial, on average; like `tokens` and `seconds`."""
    tokens: float
    seconds: float
    cost: Decimal | None
    """Of all trials together; None: a model has no known price."""
    models: tuple[str, ...]

    @property
    def pass_rate(self) -> float:
        """The share that passed."""
        return self.passed / self.trials if self.trials else 0.0

    @property
    def accuracy(self) -> float:
        """The share whose outcome was right, however it was reached."""
        return self.right / self.trials if self.trials else 0.0


def score(judged: Sequence[Judged]) -> Score:
    """The score of these trials."""
    count = len(judged)
    trials = [one.trial for one in judged]
    costs = [trial.cost for trial in trials if trial.cost is not None]
    return Score(
        trials=count,
        passed=sum(one.passed for one in judged),
        right=sum(one.right for one in judged),
        unsupported=sum(len(trial.unsupported) for trial in trials),
        steps=sum(trial.steps for trial in trials) / max(count, 1),
        tokens=sum(trial.tokens for trial in trials) / max(count, 1),
        seconds=sum(trial.seconds for trial in trials) / max(count, 1),
        cost=sum(costs, Decimal(0)) if len(costs) == count else None,
        models=tuple(dict.fromkeys(name for trial in trials for name in trial.models)),
    )
