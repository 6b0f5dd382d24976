"""The whole engine in one process: a real store, real agents and their loop, and a model whose words the test gives."""

import json
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from agents.briefing import parse_briefing
from agents.catalog import load_team, pin
from agents.catalog.team import AgentSpec
from agents.isolation import Isolation
from agents.models.base import Call, Model, ModelReply, ModelRequest, Usage
from orchestrator.adapters.blobs import MemoryBlobs
from orchestrator.adapters.memory_broker import MemoryBroker
from orchestrator.adapters.otel.memory import MemoryTelemetry
from orchestrator.adapters.shifted_clock import ShiftedClock
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.domain.goal import Limits
from orchestrator.domain.identity import Actor, Scope
from orchestrator.domain.run import Run
from orchestrator.domain.ticket import Ticket
from orchestrator.engine.services.answering import Answers
from orchestrator.engine.services.applying import Applier
from orchestrator.engine.services.checking import Checker
from orchestrator.engine.services.claims import Claims
from orchestrator.engine.services.ending import Endings
from orchestrator.engine.services.reading import Progress, Reader
from orchestrator.engine.services.results import Result, Results
from orchestrator.engine.services.submitting import Request, Submitter
from orchestrator.engine.services.sweeping import Sweeper
from orchestrator.engine.services.turns import Turns
from workers.assembly import Assembly, ModelSource
from workers.drafts import TeamDrafter
from workers.metering import Metering
from workers.turn import TurnRunner

TEAM = """
name = "flow"
[planner]
[agents.finder]
instructions_text = "Find."
tools = ["calculator", "escalate"]
[composer]
[reviewer]
"""
Say = Callable[[dict[str, Any], ModelRequest], Any]
"""What an agent says: given its briefing and the request, a JSON value, a text, a list of (tool, arguments), or an
exception to raise."""


class Words:
    """A model that says what the test's function for the agent's kind says."""

    name = "words"

    def __init__(self, says: Mapping[str, Say]) -> None:
        self._says = says
        self.cost: str | None = "0.001"
        """Of every reply."""

    def complete(self, request: ModelRequest) -> ModelReply:
        """The reply of the agent that asks."""
        briefing = parse_briefing(request.messages[1].text)
        said = self._says[briefing["kind"]](briefing, request)
        if isinstance(said, Exception):
            raise said
        usage = Usage("words", 10, 10, self.cost)
        if isinstance(said, list):
            calls = tuple(Call(f"c{request.step}.{n}", tool, given) for n, (tool, given) in enumerate(said))
            return ModelReply("", calls, "calls", usage)
        return ModelReply(said if isinstance(said, str) else json.dumps(said), (), "stop", usage)


class Source:
    """Gives every agent the one model."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def model_of(self, agent: AgentSpec) -> Model:
        """The model."""
        del agent
        return self._model


class Flow:
    """Hands goals in and works until nothing moves."""

    def __init__(self, store: SqlStore, clock: ShiftedClock, folder: Path, team: str, says: Mapping[str, Say]) -> None:
        self.store, self.clock, self.broker, self.telemetry = store, clock, MemoryBroker(), MemoryTelemetry()
        self.blobs, self.isolation, self.executor = MemoryBlobs(), Isolation(), ThreadPoolExecutor(2)
        self.scope, self.actor = Scope(tenant="t"), Actor(id="me")
        (folder / "team.toml").write_text(team, encoding="utf-8")
        self.team = load_team(str(folder / "team.toml"))
        self.applier = Applier(store, self.broker, self.telemetry)
        checker = Checker(store, self.blobs)
        endings = Endings(store, self.applier, checker, clock)
        self.reader, self.answers = Reader(store, self.applier), Answers(store, self.applier)
        self.results = Results(store, self.blobs, checker, TeamDrafter(self.blobs))
        self.sweeper = Sweeper(store, self.broker, self.applier)
        self.model = Words(says)
        self._checker, self._endings = checker, endings
        self.runner = self.a_runner(Source(self.model), "w1")
        self._workers = 1

    def another_worker(self) -> None:
        """The worker has died; another one takes its work over."""
        self.store.expire(f"w{self._workers}")
        self._workers += 1
        self.runner = self.a_runner(Source(self.model), f"w{self._workers}")
        self.sweeper.sweep()

    def a_runner(self, source: ModelSource, worker_id: str, metering: Metering | None = None) -> TurnRunner:
        """What runs the turns of a worker whose agents have these models."""
        self.store.register(worker_id, 10**7)
        assembly = Assembly(self.store, self.blobs, self._checker, source, self.isolation, clock=self.clock)
        return TurnRunner(
            store=self.store,
            blobs=self.blobs,
            clock=self.clock,
            telemetry=self.telemetry,
            claims=Claims(self.store),
            turns=Turns(self.store, self.applier, self._endings, self.clock),
            endings=self._endings,
            assembly=assembly,
            executor=self.executor,
            worker_id=worker_id,
            metering=metering,
            outdated=assembly.outdated,
        )

    def submit(self, text: str = "Find out.", limits: Limits | None = None) -> Run:
        """Hand a goal in."""
        request = Request(text, {}, self.team.rules(), pin(self.team), {}, limits or Limits())
        submitter = Submitter(self.applier, self.blobs, self.clock, self.telemetry)
        return submitter.submit(request, self.scope, self.actor)

    def work(self) -> None:
        """Run turns until no wake-up is left."""
        while woken := self.broker.take():
            for subtask_id in woken:
                self.runner.run(subtask_id)

    def run(self, text: str = "Find out.", limits: Limits | None = None) -> Progress:
        """Hand a goal in and work until nothing moves."""
        run = self.submit(text, limits)
        self.work()
        return self.progress(run.id)

    def progress(self, run_id: str) -> Progress:
        """Where a run stands."""
        return self.reader.progress(self.scope, run_id)

    def result(self, run_id: str) -> Result:
        """What a run has to show."""
        return self.results.result(self.scope, run_id)

    def open_ticket(self, run_id: str) -> Ticket:
        """The one open ticket."""
        (ticket,) = self.store.tickets(self.scope, run_id=run_id, status="open")
        return ticket

    def answer(self, run_id: str, value: str) -> Progress:
        """Answer the one open ticket and work on."""
        self.answers.answer(self.scope, self.open_ticket(run_id).id, value, "", self.actor)
        self.work()
        return self.progress(run_id)

    def close(self) -> None:
        """Give everything back."""
        self.isolation.close()
        self.executor.shutdown()


@pytest.fixture
def flow(store: SqlStore, clock: ShiftedClock, tmp_path: Path) -> Generator[Callable[..., Flow]]:
    """Makes the engine for a team whose agents say what the test says."""
    made: list[Flow] = []

    def make(team: str = TEAM, **says: Say) -> Flow:
        made.append(Flow(store, clock, tmp_path, team, {**USUAL, **says}))
        return made[-1]

    yield make
    for one in made:
        one.close()


def usual_plan(briefing: dict[str, Any], request: ModelRequest) -> Any:
    """One subtask."""
    del briefing, request
    return {"subtasks": [{"key": "a", "agent": "finder", "title": "A", "instruction": "1 + 1"}]}


def usual_find(briefing: dict[str, Any], request: ModelRequest) -> Any:
    """Calculate the instruction, then say what came out."""
    if request.messages[-1].role != "tool":
        return [("calculator", {"expression": briefing["instruction"]})]
    return {"summary": "1 + 1 = 2 [E2.1]", "evidence": ["E2.1"]}


def usual_compose(briefing: dict[str, Any], request: ModelRequest) -> Any:
    """All that was found."""
    del request
    return {"answer": "\n".join(f"- {one['text']}" for one in briefing["predecessors"]) or "nothing"}


def usual_review(briefing: dict[str, Any], request: ModelRequest) -> Any:
    """It passes."""
    del briefing, request
    return {"verdict": "pass", "note": "good"}


USUAL: dict[str, Say] = {
    "planner": usual_plan,
    "specialist": usual_find,
    "composer": usual_compose,
    "reviewer": usual_review,
}
