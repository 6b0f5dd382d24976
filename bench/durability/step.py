"""CPU and wall of a durable step beyond the same loop that keeps its steps in memory, in turns in one process."""

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from agents.memory_journal import MemoryJournal
from agents.models.base import ModelRequest
from agents.react import Loop
from bench.durability.engine import Engine, engine

STEPS = 150
ROUNDS = 7
PLAN = {"subtasks": [{"key": "look", "agent": "looker", "title": "Look", "instruction": "Look."}]}


@dataclass(frozen=True, slots=True)
class Cost:
    """Milliseconds a step."""

    cpu: float
    wall: float


def say(briefing: Mapping[str, Any], request: ModelRequest) -> Any:
    """Look so many times, then answer."""
    if briefing["kind"] == "planner":
        return PLAN
    return request.step if request.step <= STEPS else {"summary": "I looked."}


def more(url: str | None) -> tuple[Cost, Cost]:
    """A step's cost without durability, and what durability adds to it; medians of rounds in turn."""
    durable, bare = [], []
    for _ in range(ROUNDS):
        durable.append(_measured(url, _durable))
        bare.append(_measured(url, _bare))
    floor, whole = _median(bare), _median(durable)
    return floor, Cost(whole.cpu - floor.cpu, whole.wall - floor.wall)


def _measured(url: str | None, prepare: Callable[[Engine, str], Callable[[], object]]) -> Cost:
    with engine(say, url) as made:
        work = prepare(made, made.upto("look"))
        cpu, wall = time.process_time(), time.perf_counter()
        work()
        return Cost(
            (time.process_time() - cpu) / STEPS * 1000,
            (time.perf_counter() - wall) / STEPS * 1000,
        )


def _durable(made: Engine, subtask_id: str) -> Callable[[], object]:
    return lambda: made.runner.run(subtask_id)


def _bare(made: Engine, subtask_id: str) -> Callable[[], object]:
    claim = made.claims.claim(subtask_id, made.worker_id)
    assert claim is not None
    return Loop(made.assembly.agent(claim), (), MemoryJournal(), made.telemetry, made.executor).run


def _median(costs: list[Cost]) -> Cost:
    return Cost(statistics.median(one.cpu for one in costs), statistics.median(one.wall for one in costs))
