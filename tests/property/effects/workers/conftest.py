"""Two workers on one store, each a puppet that dies, stops, wakes up and is cut off wherever the test says."""

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any, cast

import pytest

from agents.isolation import Isolation
from agents.models.base import Message
from agents.react import Agent
from agents.roles import Accepted
from agents.toolbox import Toolbox
from agents.tools.function import Tool
from orchestrator.adapters.blobs.memory import MemoryBlobs
from orchestrator.adapters.memory_broker import MemoryBroker
from orchestrator.adapters.otel.silent import SilentTelemetry
from orchestrator.adapters.sql import open_store
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.domain.changes import AddSubtasks, GiveUp, OpenRun
from orchestrator.domain.effect import EffectIntent, idempotency_key
from orchestrator.domain.goal import Goal
from orchestrator.domain.identity import Actor, Scope
from orchestrator.domain.run import Run, TeamRules
from orchestrator.domain.step import Step, StepResult
from orchestrator.domain.subtask import NewSubtask, Status, SubtaskSpec
from orchestrator.domain.ticket import Ticket
from orchestrator.engine.recovering import MOST_ATTEMPTS
from orchestrator.engine.services.answering import Answers
from orchestrator.engine.services.applying import Applier
from orchestrator.engine.services.checking import Checker
from orchestrator.engine.services.claims import Claim, Claims
from orchestrator.engine.services.ending import Endings
from orchestrator.engine.services.sweeping import Sweeper
from orchestrator.engine.services.turns import Turns
from orchestrator.errors import StoreError
from orchestrator.ports.clock import Clock
from orchestrator.ports.store import Store
from workers.turn import TurnRunner

LEASE = 30.0
SUBTASK = "r1/pay"
SCOPE = Scope(tenant="acme")
PERSON = Actor(id="ada")


class WatchedStore:
    """The store as one worker sees it: it may die, stop or be cut off before and after each write."""

    def __init__(self, store: SqlStore, puppet: Any) -> None:
        self._store = store
        self._puppet = puppet

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)
        return partial(self._write, name, found) if name in {"apply", "claim"} else found

    def _write(self, name: str, write: Callable[..., Any], *given: Any) -> Any:
        if self._puppet.at(f"before {name}") == "fail":
            raise StoreError("the database is away")
        result = write(*given)
        if self._puppet.at(f"after {name}") == "fail" and name == "apply":
            raise StoreError("the connection broke while a commit was on its way")
        return result


def any_answer(text: str, *_: object) -> Accepted:
    """Every answer counts."""
    return Accepted(text)


class Crew:
    """Makes the agent of the one subtask, with the tools of one worker."""

    def __init__(self, outside: Any, tools: list[Tool], rounds: int, isolation: Isolation) -> None:
        self._outside = outside
        self._tools = tools
        self._rounds = rounds
        self._isolation = isolation

    def agent(self, claim: Claim) -> Agent:
        """The agent."""
        return Agent(
            model=self._outside.model(self._rounds),
            toolbox=Toolbox(self._tools, cast("Any", None), self._isolation),
            judge=any_answer,
            opening=(Message("system", "You act."), Message("user", "Act.")),
            number=claim.subtask.number,
            most_steps=10,
            seconds=300.0,
            worked=0.0,
        )


class Worker:
    """One incarnation of a worker process."""

    def __init__(self, stage: "Stage", worker_id: str) -> None:
        self.id = worker_id
        self.puppet = stage.outside.puppet()
        self.puppet.holds = lambda: self.holds
        self.frozen = False
        self.left = False
        """True once it was told to end and gave up what it held; its turn may still run for a moment."""
        self._stage = stage
        self._renewed = stage.clock.now()
        stage.store.register(worker_id, LEASE)
        store = cast("Store", WatchedStore(stage.store, self.puppet))
        applier = Applier(store, stage.broker, SilentTelemetry())
        endings = Endings(store, applier, Checker(store, stage.blobs), stage.clock)
        self._runner = TurnRunner(
            store=store,
            blobs=stage.blobs,
            clock=stage.clock,
            telemetry=SilentTelemetry(),
            claims=Claims(store),
            turns=Turns(store, applier, endings, stage.clock),
            endings=endings,
            assembly=Crew(stage.outside, stage.tools(stage.world, self.puppet), stage.rounds, stage.isolation),
            executor=stage.executor,
            worker_id=worker_id,
        )
        self._runner.begin_while(lambda: self.holds)

    @property
    def holds(self) -> bool:
        """True while its lease is surely its own."""
        return not self.left and (self._stage.clock.now() - self._renewed).total_seconds() < LEASE

    @property
    def busy(self) -> bool:
        """True while a turn is under way."""
        return self.puppet.place is not None

    def wake(self) -> None:
        """Give it a wake-up."""
        self.puppet.begin(lambda: self._runner.run(SUBTASK))

    def renew(self) -> None:
        """Prolong its lease, if that has not passed."""
        now = self._stage.clock.now()
        if self._stage.store.renew(self.id, LEASE):
            self._renewed = now

    def leave(self) -> None:
        """Give up what it holds, and its lease, in the middle of its turn, as its keeper does in the end."""
        self.left = True
        for held in self._stage.store.running_of(self.id):
            self._stage.store.apply([GiveUp(held.subtask_id, held.owner, held.epoch)])
        self._stage.store.expire(self.id)

    def finish(self) -> None:
        """Let it go on to the end of its turn."""
        while self.busy:
            self.puppet.tell("go")

    def stray(self) -> None:
        """Give back what a turn left that could not write its end, as its keeper does."""
        puppet, self.puppet.dead = self.puppet, False
        puppet.begin(self._runner.compare_with_store)
        self.finish()


class Stage:
    """The store, the world and the clock."""

    def __init__(
        self, outside: Any, tools: Callable[[Any, Any], list[Tool]], rounds: int, url: str, clock: Clock
    ) -> None:
        self.outside, self.tools, self.rounds = outside, tools, rounds
        self.clock: Any = clock
        self.store = open_store(url, clock)
        self.blobs = MemoryBlobs()
        self.broker = MemoryBroker()
        self.world = outside.world(self.clock, self.intents)
        self.isolation = Isolation()
        self.executor = ThreadPoolExecutor(1)
        self._incarnations = 0
        applier = Applier(self.store, self.broker, SilentTelemetry())
        self._sweeper = Sweeper(self.store, self.broker, applier)
        self._answers = Answers(self.store, applier)
        goal, rules = Goal(text="Pay."), TeamRules(team="payers", specialists=("payer",))
        fields: dict[str, Any] = {"team_blob": "sha256:0", "trace": "00-1-2-01", "created_at": self.clock.now()}
        spec = SubtaskSpec(kind="specialist", agent="payer", title="Pay", instruction="Pay.")
        planner = SubtaskSpec(kind="planner", agent="planner", title="Plan", instruction="Plan.")
        self.store.apply(
            [
                OpenRun(Run(id="r1", tenant="acme", goal=goal, rules=rules, **fields)),
                AddSubtasks(
                    "r1",
                    (
                        NewSubtask(id="r1/plan", run_id="r1", key="plan", version=1, spec=planner),
                        NewSubtask(id=SUBTASK, run_id="r1", key="pay", version=1, spec=spec),
                    ),
                ),
            ]
        )
        self.workers = [self.worker(), self.worker()]

    def worker(self) -> Worker:
        """A new incarnation."""
        self._incarnations += 1
        return Worker(self, f"host:1:{self._incarnations}")

    def crash(self, position: int) -> None:
        """Kill a worker where it is, and start another one; nobody saw it die."""
        self.workers[position].puppet.tell("crash")
        self.workers[position] = self.worker()

    def idle(self, position: int) -> Worker:
        """The worker if its lease holds; one that came too late to prolong it ends, and another one starts."""
        if not self.workers[position].holds:
            self.workers[position] = self.worker()
        return self.workers[position]

    def pass_time(self, seconds: float) -> None:
        """Time passes; workers that are not frozen prolong their leases meanwhile."""
        left = seconds
        while left > 0:
            self.clock.advance(min(left, LEASE / 3))
            left -= LEASE / 3
            for worker in self.workers:
                if not worker.frozen:
                    worker.renew()

    def sweep(self) -> None:
        """What every worker does now and then."""
        self._sweeper.sweep()

    @property
    def status(self) -> Status:
        """Where the subtask stands."""
        row = self.store.subtask(SUBTASK)
        assert row is not None
        return row.status

    def open_tickets(self) -> list[Ticket]:
        """The questions that wait."""
        return list(self.store.tickets(SCOPE, run_id="r1", status="open"))

    def answer(self, ticket: Ticket, choice: str | None) -> None:
        """Answer a ticket; without a choice truthfully."""
        if ticket.topic != "effect":
            self._answers.answer(SCOPE, ticket.id, "retry", "", PERSON)
            return
        key = idempotency_key(SUBTASK, ticket.step, ticket.call_id or "")
        choice = choice or ("happened" if self.world.effects(key) else "not_done")
        self.world.events[key].append({"not_done": "not happened"}.get(choice, choice))
        self._answers.answer(SCOPE, ticket.id, choice, "", PERSON)

    def be_overtaken(self, position: int, spans: Sequence[float]) -> None:
        """A worker stops so long that the other one takes its work over, and then goes on."""
        worker, other = self.workers[position], self.workers[1 - position]
        worker.frozen = True
        other.frozen = False
        other.finish()
        for seconds in spans:
            self.pass_time(seconds)
            self.sweep()
            other = self.idle(1 - position)
            other.wake()
            other.finish()
        worker.frozen = False

    def go_round(self, *positions: int) -> None:
        """Time passes, people answer truthfully, and these workers do what there is to do."""
        self.pass_time(15)
        self.sweep()
        for ticket in self.open_tickets():
            self.answer(ticket, None)
        for position in positions:
            self.idle(position).wake()
            self.workers[position].finish()
            self.workers[position].stray()

    def settle(self) -> None:
        """From here on nothing goes wrong: everything comes to its end."""
        for worker in self.workers:
            worker.frozen = False
            worker.finish()
        for _ in range(60):
            if self.ended:
                return
            self.go_round(0, 1)
        pytest.fail(f"the subtask is still {self.status}: {self.steps()}")

    @property
    def ended(self) -> bool:
        """True when nothing more will be done."""
        return self.status in {Status.DONE, Status.PARTIAL, Status.FAILED}

    def steps(self) -> list[Step]:
        """What was written down."""
        return list(self.store.steps(SUBTASK))

    def intents(self) -> list[EffectIntent]:
        """The whole ledger."""
        return [one for step in range(1, self.rounds + 1) for one in self.store.intents(SUBTASK, step)]

    def close(self) -> None:
        """End everything."""
        for worker in self.workers:
            if worker.busy:
                worker.puppet.tell("crash")
        self.store.close()
        self.executor.shutdown()
        self.isolation.close()

    def check(self) -> None:
        """Each call has one result, and the ledger and the observation say what is so, as far as it is known."""
        assert self.world.twice() == {}
        assert self.world.begun_too_late == []
        assert self.status == Status.DONE
        intents = {(one.step, one.call_id): one for one in self.intents()}
        for step in self.steps()[: self.rounds]:
            results = {one.call_id: one for one in step.results}
            assert sorted(results) == sorted(call.id for call in step.calls)
            for call in step.calls:
                if call.tool != "look":
                    self._check_call(intents[step.n, call.id], results[call.id])

    def _check_call(self, intent: EffectIntent, result: StepResult) -> None:
        events, happened = self.world.events[intent.key], self.world.effects(intent.key) > 0
        if result.ok:
            assert intent.status == "happened"
            assert happened or "happened" in events
        elif "no_time" in result.shown:
            assert intent.status == "failed"
            assert not happened, f"{intent.tool} is told not to have been begun: {events}"
        else:
            assert intent.status in {"unknown", "failed"}
            assert "stop" in events or intent.attempt >= MOST_ATTEMPTS, f"{intent.tool}: {events}, {result.shown}"


@pytest.fixture
def staged(
    outside: Any, place: Callable[[], AbstractContextManager[tuple[str, Clock]]]
) -> Callable[..., AbstractContextManager[Stage]]:
    """Opens a stage in an empty store; its tools keep their deadlines if nothing else is said."""

    @contextmanager
    def opened(tools: Callable[[Any, Any], list[Tool]] = outside.careful_tools, rounds: int = 3) -> Generator[Stage]:
        with place() as (url, clock):
            stage = Stage(outside, tools, rounds, url, clock)
            try:
                yield stage
            finally:
                stage.close()

    return opened
