"""A storm of refusals: the whole engine waits as rows, loses no try over it, and ends as if nothing had been."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import pytest

from agents.fake_model.loading import parse_yaml
from agents.fake_model.serving import serve
from orchestrator.adapters.limiter.memory import MemoryLimiter
from orchestrator.config import Settings
from orchestrator.domain.run import Run
from orchestrator.domain.subtask import Status
from workers.metering import Metering
from workers.models import ConfiguredModels
from workers.tries import Tries
from workers.turn import TurnRunner

SCRIPT = """
rules:
  - when: {system: You are the planner}
    reply: {text: '{"subtasks": [%s]}'}
  - {times: %d, reply: {fault: {status: 429, retry_after: %d}}}
  - when: {system: You are the composer}
    reply: {text: '{"answer": "all found"}'}
  - when: {system: You are the reviewer}
    reply: {text: '{"verdict": "pass"}'}
  - reply: {text: '{"summary": "found"}'}
"""
PLANNED = '{"key": "k%d", "agent": "finder", "title": "t", "instruction": "i"}'
HOUR = 3600
"""The endpoint wants to be left alone for so long: however slow the machine, nobody may ask before the clock is set."""


class Workers:
    """Workers that share a limiter, each with its own client."""

    def __init__(self, engine: Any) -> None:
        self.engine = engine
        self.limiter = MemoryLimiter(lambda: engine.clock.now().timestamp())
        self.models: list[ConfiguredModels] = []

    def one(self, url: str) -> TurnRunner:
        """Another worker, whose agents ask this endpoint."""
        tries = Tries(self.limiter)
        settings = Settings.model_validate({"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "sk-x", "REMIT_MODEL": "fake"})
        models = ConfiguredModels(settings, tries)
        self.models.append(models)
        metering = Metering(self.engine.store, models.price, tries)
        return self.engine.a_runner(models, f"another{len(self.models)}", metering)

    def close(self) -> None:
        """Close the connections."""
        for models in self.models:
            models.close()


@pytest.fixture
def workers() -> Iterator[Callable[[Any], Workers]]:
    """Makes the workers of an engine."""
    with ExitStack() as stack:

        def make(engine: Any) -> Workers:
            made = Workers(engine)
            stack.callback(made.close)
            return made

        yield make


@pytest.fixture
def endpoint() -> Iterator[Callable[..., Any]]:
    """Serves a team whose first requests after the plan are refused."""
    with ExitStack() as stack:

        def make(refusals: int, subtasks: int) -> Any:
            planned = ", ".join(PLANNED % n for n in range(subtasks))
            script = parse_yaml(SCRIPT % (planned, refusals, HOUR))
            return stack.enter_context(serve(script))

        yield make


def wait(engine: Any, run: Run) -> list[float]:
    """Let the time pass until nothing of the run waits, and work on; for how many seconds each subtask had to wait."""
    waiting = [one for one in engine.progress(run.id).subtasks if one.status is Status.WAITING]
    seconds = [(one.wake_at - engine.clock.now()).total_seconds() for one in waiting]
    engine.clock.advance(max(seconds) + 1)
    engine.sweeper.sweep()
    engine.work()
    return seconds


def test_a_long_wait_is_a_row_and_no_failed_try(
    flow: Callable[..., Any], endpoint: Callable[..., Any], workers: Callable[[Any], Workers]
) -> None:
    """More refusals than a subtask has tries: it waits each time as long as it was told, and is done in the end."""
    engine = flow()
    server = endpoint(refusals=8, subtasks=1)
    engine.runner = workers(engine).one(server.url)
    run = engine.run().run
    for _ in range(8):
        assert engine.progress(run.id).state == "running"
        (seconds,) = wait(engine, run)
        assert HOUR / 2 < seconds <= HOUR + 61
    done = engine.progress(run.id)
    assert done.state == "done"
    assert {one.tries for one in done.subtasks} == {0}
    assert len(server.requests) == 8 + 4


def test_a_storm_slows_all_workers_at_once(
    flow: Callable[..., Any], endpoint: Callable[..., Any], workers: Callable[[Any], Workers]
) -> None:
    """Sixteen threads of two workers with thirty-two subtasks: none asks a second time within the hour."""
    engine = flow()
    both = workers(engine)
    server = endpoint(refusals=16, subtasks=32)
    runners = [both.one(server.url), both.one(server.url)]
    engine.runner = runners[0]
    run = engine.submit()
    engine.runner.run(*engine.broker.take())
    ready = engine.broker.take()
    assert len(ready) == 32

    def work(thread: int) -> None:
        for subtask in ready[thread::16]:
            runners[thread % 2].run(subtask)

    with ThreadPoolExecutor(16) as threads:
        assert list(threads.map(work, range(16))) == [None] * 16
    assert 1 <= len(server.requests) - 1 <= 16
    assert sum(one.status is Status.WAITING for one in engine.progress(run.id).subtasks) == 32
    while engine.progress(run.id).state == "running":
        assert min(wait(engine, run)) > HOUR / 2
    done = engine.progress(run.id)
    assert done.state == "done"
    assert {one.tries for one in done.subtasks} == {0}
    assert len(server.requests) == 1 + 16 + 32 + 2
