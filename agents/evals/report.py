"""An evaluation's outcome: every trial by variant and case, whether it reached the threshold, and as JSON."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agents.evals.judging import Judged
from agents.evals.scoring import Score, score
from agents.evals.trial import MadeCall
from agents.evals.variants import Variant


@dataclass(frozen=True, slots=True)
class Tried:
    """One trial of a case under a variant."""

    variant: Variant
    repeat: int
    """From 1."""
    judged: Judged


@dataclass(frozen=True, slots=True)
class Report:
    """All that was tried. Of two variants the second is the one that has to reach the threshold."""

    variants: tuple[Variant, ...]
    tried: tuple[Tried, ...]
    threshold: float

    @property
    def passed(self) -> bool:
        """True when the last variant reached the threshold."""
        return self.score(self.variants[-1]).pass_rate >= self.threshold

    def cases(self) -> tuple[str, ...]:
        """The names of the cases, in their order."""
        return tuple(dict.fromkeys(one.judged.case.name for one in self.tried))

    def of(self, variant: Variant, case: str | None = None) -> Sequence[Judged]:
        """The trials of a variant, or of one case under it."""
        mine = [one.judged for one in self.tried if one.variant == variant]
        return [one for one in mine if case is None or one.case.name == case]

    def score(self, variant: Variant, case: str | None = None) -> Score:
        """How a variant did, on the whole or in one case."""
        return score(self.of(variant, case))

    def as_json(self) -> dict[str, Any]:
        """The report as JSON values, for machines."""
        return {
            "passed": self.passed,
            "threshold": self.threshold,
            "variants": [{"name": one.name, **_score(self.score(one))} for one in self.variants],
            "trials": [_tried(one) for one in self.tried],
        }


def _score(one: Score) -> dict[str, Any]:
    return {
        "trials": one.trials,
        "passed": one.passed,
        "pass_rate": round(one.pass_rate, 4),
        "accuracy": round(one.accuracy, 4),
        "unsupported": one.unsupported,
        "steps": round(one.steps, 2),
        "tokens": round(one.tokens, 1),
        "seconds": round(one.seconds, 3),
        "cost": None if one.cost is None else str(one.cost),
        "models": list(one.models),
    }


def _tried(one: Tried) -> dict[str, Any]:
    trial = one.judged.trial
    return {
        "case": one.judged.case.name,
        "variant": one.variant.name,
        "repeat": one.repeat,
        "passed": one.judged.passed,
        "right": one.judged.right,
        "reasons": [*one.judged.wrong, *one.judged.misbehaved],
        "run": trial.run,
        "state": trial.state,
        "answer": trial.answer,
        "calls": [_call(call) for call in trial.calls],
        "unsupported": list(trial.unsupported),
        "models": list(trial.models),
        "steps": trial.steps,
        "tokens": trial.tokens,
        "seconds": round(trial.seconds, 3),
        "cost": None if trial.cost is None else str(trial.cost),
    }


def _call(call: MadeCall) -> dict[str, Any]:
    return {"agent": call.agent, "tool": call.tool, "arguments": dict(call.arguments), "ok": call.ok}
