"""CPU and wall of a durable step beyond the same loop that keeps its steps in memory, and beyond the calls alone."""

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from agents.memory_journal import MemoryJournal
from agents.models.base import ModelRequest
from agents.react import Agent, Loop
from bench.durability.engine import Engine, engine, look
from orchestrator.ports.clock import Deadline

STEPS = 150
ROUNDS = 9
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


def costs(url: str | None) -> tuple[Cost, Cost, Cost]:
    """A step of a whole turn, of its loop in memory, and its bare calls of model and tool; medians of rounds in turn.

    The first round is not counted: a process writes out its statements and makes its connections once.
    """
    kinds = (_durable, _in_memory, _calls)
    with engine(say, url) as made:
        rounds = [[_measured(made, kind) for kind in kinds] for _ in range(1 + ROUNDS)][1:]
    durable, in_memory, calls = (_median(list(kind)) for kind in zip(*rounds, strict=True))
    return durable, in_memory, calls


def _measured(made: Engine, prepare: Callable[[Engine, str], Callable[[], object]]) -> Cost:
    work = prepare(made, made.upto("look"))
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return Cost(
        (time.process_time() - cpu) / STEPS * 1000,
        (time.perf_counter() - wall) / STEPS * 1000,
    )


def _durable(made: Engine, subtask_id: str) -> Callable[[], object]:
    return lambda: made.runner.run(subtask_id)


def _in_memory(made: Engine, subtask_id: str) -> Callable[[], object]:
    return Loop(_agent(made, subtask_id), (), MemoryJournal(), made.telemetry, made.executor).run


def _calls(made: Engine, subtask_id: str) -> Callable[[], object]:
    agent = _agent(made, subtask_id)

    def work() -> None:
        for step in range(1, STEPS + 2):
            for call in agent.model.complete(ModelRequest(agent.opening, (), step, Deadline.after(60))).calls:
                look.function(**call.arguments)

    return work


def _agent(made: Engine, subtask_id: str) -> Agent:
    claim = made.claims.claim(subtask_id, made.worker_id)
    assert claim is not None
    return made.assembly.agent(claim)


def _median(costs: list[Cost]) -> Cost:
    return Cost(statistics.median(one.cpu for one in costs), statistics.median(one.wall for one in costs))
