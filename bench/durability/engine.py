"""The whole engine in one process, with a model that answers at once, for the measurements of this folder."""

import json
import tempfile
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from agents.briefing import parse_briefing
from agents.catalog import load_team, pin
from agents.catalog.team import AgentSpec
from agents.isolation import Isolation
from agents.models.base import Call, Model, ModelReply, ModelRequest, Usage
from agents.tools.function import ToolResult, tool
from orchestrator.adapters.blobs.memory import MemoryBlobs
from orchestrator.adapters.memory_broker import MemoryBroker
from orchestrator.adapters.otel.silent import SilentTelemetry
from orchestrator.adapters.sql import open_store
from orchestrator.domain.goal import Limits
from orchestrator.domain.identity import Actor, Scope, new_id
from orchestrator.domain.run import Run
from orchestrator.engine.services.applying import Applier
from orchestrator.engine.services.checking import Checker
from orchestrator.engine.services.claims import Claims
from orchestrator.engine.services.ending import Endings
from orchestrator.engine.services.submitting import Request, Submitter
from orchestrator.engine.services.sweeping import Sweeper
from orchestrator.engine.services.turns import Turns
from orchestrator.ports.clock import SystemClock
from workers.assembly import Assembly
from workers.turn import TurnRunner

TEAM = """
name = "bench"
[planner]
model = "bench"
[agents.looker]
instructions_text = "Look."
tools = ["bench.durability.engine:look"]
model = "bench"
steps = 200
seconds = 3600
[composer]
model = "bench"
[reviewer]
model = "bench"
"""
Say = Callable[[Mapping[str, Any], ModelRequest], Any]
"""What the model says to a briefing: a JSON value, or a number to look at."""


@tool("look", effect="read", use_when="benching", not_when="working")
def look(n: int) -> ToolResult:
    """Look at a number."""
    return ToolResult(f"It is {n}.", {"n": n, "text": "x" * 1500})


class Saying:
    """A model that says what a function says."""

    name = "bench"

    def __init__(self, say: Say) -> None:
        self._say = say

    def complete(self, request: ModelRequest) -> ModelReply:
        """The reply."""
        said = self._say(parse_briefing(request.messages[1].text), request)
        usage = Usage("bench", 10, 10, "0")
        if isinstance(said, int):
            call = Call(f"c{request.step}.0", "look", {"n": said})
            return ModelReply("", (call,), "calls", usage, "I look.")
        return ModelReply(json.dumps(said), (), "stop", usage)


class Source:
    """Gives every agent the one model."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def model_of(self, agent: AgentSpec) -> Model:
        """The model."""
        del agent
        return self._model


class Engine:
    """Everything between a submitted goal and its result."""

    def __init__(self, url: str, say: Say, executor: ThreadPoolExecutor, isolation: Isolation, folder: Path) -> None:
        (folder / "team.toml").write_text(TEAM)
        self.worker_id = new_id("bench")  # a database may have seen others
        self.clock, self.broker, self.telemetry = SystemClock(), MemoryBroker(), SilentTelemetry()
        self.store, self.executor = open_store(url, self.clock), executor
        blobs = MemoryBlobs()
        applier, checker = Applier(self.store, self.broker, self.telemetry), Checker(self.store, blobs)
        endings = Endings(self.store, applier, checker, self.clock)
        self.claims, self.turns = Claims(self.store), Turns(self.store, applier, endings, self.clock)
        self.assembly = Assembly(self.store, blobs, checker, Source(Saying(say)), isolation)
        self.sweeper = Sweeper(self.store, self.broker, applier)
        self.runner = TurnRunner(
            store=self.store,
            blobs=blobs,
            clock=self.clock,
            telemetry=self.telemetry,
            claims=self.claims,
            turns=self.turns,
            endings=endings,
            assembly=self.assembly,
            executor=executor,
            worker_id=self.worker_id,
        )
        self._submitter = Submitter(applier, blobs, self.clock, self.telemetry)
        self._team = load_team(str(folder / "team.toml"))
        self.store.register(self.worker_id, 10**6)

    def submit(self) -> Run:
        """Hand a goal in."""
        request = Request("Look.", {}, self._team.rules(), pin(self._team), {}, Limits())
        return self._submitter.submit(request, Scope(tenant="bench"), Actor(id="bench"))

    def upto(self, key: str) -> str:
        """Hand a goal in and work until the subtask of this key has been woken; its id."""
        run_id = self.submit().id
        while woken := self.broker.take():
            for subtask_id in woken:
                if subtask_id == f"{run_id}/{key}":
                    return subtask_id
                if subtask_id.startswith(f"{run_id}/"):  # what became of other runs is of no interest
                    self.runner.run(subtask_id)
        raise AssertionError(f"{key} was never woken")

    def work(self) -> int:
        """Run turns until no wake-up is left; how many there were."""
        turns = 0
        while woken := self.broker.take():
            for subtask_id in woken:
                self.runner.run(subtask_id)
                turns += 1
        return turns


@contextmanager
def engine(say: Say, url: str | None = None) -> Generator[Engine]:
    """An engine on a database, on a new SQLite file otherwise."""
    isolation = Isolation()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(4) as executor:
        made = Engine(url or f"sqlite:///{folder}/remit.db", say, executor, isolation, Path(folder))
        try:
            yield made
        finally:
            made.store.close()
            isolation.close()
