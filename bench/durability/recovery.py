"""How long a turn takes, from its wake-up, to ask its model again after 199 steps of an earlier one."""

import statistics
import time
from collections.abc import Mapping
from typing import Any

from agents.models.base import ModelRequest
from bench.durability.engine import engine
from bench.durability.step import PLAN

STEPS = 198
"""As many as an agent can have before it is told to come to its end."""
ROUNDS = 5


def recovered(url: str | None) -> float:
    """Milliseconds; the median of rounds."""
    return statistics.median(_once(url) for _ in range(ROUNDS))


def _once(url: str | None) -> float:
    asked_at: list[float] = []

    def say(briefing: Mapping[str, Any], request: ModelRequest) -> Any:
        if briefing["kind"] == "planner":
            return PLAN
        asked_at.append(time.perf_counter())
        return request.step if request.step <= STEPS else {"summary": "I looked."}

    with engine(say, url) as made:
        subtask_id = made.upto("look")
        made.runner.stop_when(lambda: len(asked_at) >= STEPS)
        made.runner.run(subtask_id)
        steps = len(made.store.steps(subtask_id))
        assert steps == STEPS, steps
        made.runner.stop_when(lambda: False)
        started = time.perf_counter()
        made.runner.run(subtask_id)
        return (asked_at[STEPS] - started) * 1000
