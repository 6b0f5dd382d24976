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


Steps = Callable[[], int]
"""How many steps were made, asked when the time is taken."""
Work = Callable[[], Steps]


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


def _measured(made: Engine, prepare: Callable[[Engine, str], Work]) -> Cost:
    work = prepare(made, made.upto("look"))
    cpu, wall = time.process_time(), time.perf_counter()
    steps = work()
    cost = Cost(
        (time.process_time() - cpu) / STEPS * 1000,
        (time.perf_counter() - wall) / STEPS * 1000,
    )
    assert steps() == STEPS + 1, steps()  # a turn that broke off would be cheap
    return cost


def _durable(made: Engine, subtask_id: str) -> Work:
    def work() -> Steps:
        made.runner.run(subtask_id)
        return lambda: len(made.store.steps(subtask_id))

    return work


def _in_memory(made: Engine, subtask_id: str) -> Work:
    journal = MemoryJournal()
    loop = Loop(_agent(made, subtask_id), (), journal, made.telemetry, made.executor)

    def work() -> Steps:
        loop.run()
        return lambda: len(journal.steps) + 1  # the answer is stored with the finding, which nobody keeps here

    return work


def _calls(made: Engine, subtask_id: str) -> Work:
    agent = _agent(made, subtask_id)

    def work() -> Steps:
        for step in range(1, STEPS + 2):
            for call in agent.model.complete(ModelRequest(agent.opening, (), step, Deadline.after(60))).calls:
                look.function(**call.arguments)
        return lambda: STEPS + 1

    return work


def _agent(made: Engine, subtask_id: str) -> Agent:
    claim = made.claims.claim(subtask_id, made.worker_id)
    assert claim is not None
    return made.assembly.agent(claim)


def _median(costs: list[Cost]) -> Cost:
    return Cost(statistics.median(one.cpu for one in costs), statistics.median(one.wall for one in costs))
