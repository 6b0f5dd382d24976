"""A turn: one stretch of a subtask on a worker, from the claim to done, waiting or yielded."""

import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from datetime import timedelta
from typing import Protocol

from agents.errors import ModelRefusedError, ModelUnavailableError
from agents.react import Agent, Answered, AskedPeople, End, Loop, Stopped, Yielded
from agents.transcript import known_so_far
from orchestrator.domain.budget_words import reached
from orchestrator.domain.changes import Defer
from orchestrator.domain.finding import Ending, Finding
from orchestrator.engine import escalating
from orchestrator.engine.services.claims import Claim, Claims
from orchestrator.engine.services.ending import Endings
from orchestrator.engine.services.turns import Turns
from orchestrator.errors import ConflictError, FencedError, RemitError
from orchestrator.ports.blobs import Blobs
from orchestrator.ports.clock import Clock, Deadline
from orchestrator.ports.store import Store
from orchestrator.ports.telemetry import Telemetry
from workers.at_work import AtWork, lose
from workers.decisions import Decisions, deaths_allowed, goes_on, tries_again
from workers.errors import LimitReachedError, MustWaitError
from workers.journal import TurnJournal
from workers.metering import Metering, without_prices
from workers.suspects import SUSPECT_DEATHS, Suspects
from workers.tries import Tries

log = logging.getLogger(__name__)

BUSY_SECONDS = 2.0
"""A budget that is set aside for other calls in flight is looked at again after this long."""
TURN_SECONDS = 300.0
"""A turn gives its worker back after this long and goes on in the next."""


class Agents(Protocol):
    """Gives the agent that works on what was claimed."""

    def agent(self, claim: Claim) -> Agent:
        """The agent of the claimed subtask, its opening messages included. Raises MustWaitError."""
        ...


class TurnRunner:
    """Runs turns for one worker process; called from many threads at once."""

    def __init__(
        self,
        *,
        store: Store,
        blobs: Blobs,
        clock: Clock,
        telemetry: Telemetry,
        claims: Claims,
        turns: Turns,
        endings: Endings,
        assembly: Agents,
        executor: Executor,
        worker_id: str,
        metering: Metering | None = None,
        outdated: Callable[[Claim], Sequence[str]] = lambda _: (),
    ) -> None:
        """Without `metering` the model of an agent has no known price. `outdated`: how the tools of a claimed subtask
        differ from what was pinned with its run."""
        self._store = store
        self._blobs = blobs
        self._clock = clock
        self._telemetry = telemetry
        self._claims = claims
        self._turns = turns
        self._endings = endings
        self._assembly = assembly
        self._executor = executor
        self._worker_id = worker_id
        self._metering = metering or Metering(store, without_prices, Tries())
        self._stopping: Callable[[], bool] = lambda: False
        self._holds: Callable[[], bool] = lambda: True
        self._at_work = AtWork()
        self._suspects = Suspects()
        self._decisions = Decisions(turns, endings)
        self._outdated = outdated
        self._heard = time.monotonic()

    @property
    def silence(self) -> float:
        """Seconds since the last wake-up was heard."""
        return time.monotonic() - self._heard

    @property
    def busy(self) -> bool:
        """True while a turn is at work on what it has claimed."""
        return bool(self._at_work.claims())

    def stop_when(self, stopping: Callable[[], bool]) -> None:
        """End turns after the step in hand once `stopping` says so."""
        self._stopping = stopping

    def begin_while(self, holds: Callable[[], bool]) -> None:
        """Begin calls with an effect only while `holds` says that the lease is surely ours."""
        self._holds = holds

    def run(self, subtask_id: str) -> None:
        """Run one turn, if the subtask is ready; never raises for what went wrong inside it."""
        self._heard = time.monotonic()
        with self._at_work.on(subtask_id) as hold, self._suspects.claiming() as busy:
            if busy and self._deferred(subtask_id):
                return
            claim = self._claims.claim(subtask_id, self._worker_id)
            if claim is not None:
                hold.claimed = True
                self._turn(claim)

    def _deferred(self, subtask_id: str) -> bool:
        """While a suspect is at work here another is not even claimed: it would die with this process."""
        seconds = self._suspects.pause()
        until = self._clock.now() + timedelta(seconds=seconds)
        try:
            self._store.apply([Defer(subtask_id, SUSPECT_DEATHS, until)])
        except ConflictError:
            return False
        self._suspects.stands_in_line(subtask_id, seconds)
        return True

    def _turn(self, claim: Claim) -> None:
        attributes = {"remit.run": claim.run.id, "remit.subtask": claim.subtask.id, "remit.epoch": claim.subtask.epoch}
        with self._telemetry.span(f"turn {claim.subtask.key}", attributes, parent=claim.run.trace) as span:
            try:
                self._work(claim)
            except FencedError:
                log.info("%s is no longer ours; nothing more was written", claim.subtask.id)
            except RemitError as error:
                span.failed(str(error))
                self._drop(claim, error)
            except Exception as error:
                log.exception("a turn of %s broke", claim.subtask.id)
                span.failed(repr(error))
                self._drop(claim, error)

    def _drop(self, claim: Claim, error: Exception) -> None:
        """Give the subtask back much as if its worker had died; after some such deaths a person is asked."""
        log.error("%s is given back: %s", claim.subtask.id, error)
        try:
            self._turns.broke(claim, str(error) if isinstance(error, RemitError) else f"a defect in Remit: {error!r}")
        except RemitError as failure:
            log.warning("%s is given back later: %s", claim.subtask.id, failure)

    def compare_with_store(self) -> None:
        """Give back what this worker holds and nobody works on: a turn that could not write its end leaves that. Stop
        reading for what it works on and does not hold any more: its run was cancelled, or another worker has it."""
        claims = self._at_work.claims()
        every = self._store.running_of(self._worker_id)
        for subtask_id in lose(claims, {held.subtask_id for held in every}):
            log.info("%s is no longer ours; what it reads is stopped", subtask_id)
        for held in every:
            if held.subtask_id not in self._at_work:
                log.warning("%s is held and nobody works on it; it is given back", held.subtask_id)
                self._turns.give_back_stray(held)

    def give_up(self) -> None:
        """Leave to others what this worker still holds as it ends: turns that did not end in the time they had."""
        for held in self._store.running_of(self._worker_id):
            if self._turns.give_up(held):
                log.warning("%s was not through in time; it goes on elsewhere", held.subtask_id)

    def _work(self, claim: Claim) -> None:
        subtask = claim.subtask
        decision = claim.decision()
        if subtask.skip_because:
            self._turns.end(claim, Finding(status="skipped", ending=Ending.SKIPPED, text=subtask.skip_because))
        elif decision is not None and not tries_again(decision):
            self._decisions.act_on(claim, decision)
        elif subtask.deaths >= deaths_allowed(claim):
            self._endings.ask(claim, escalating.set_aside(subtask))
        elif subtask.spec.kind == "group":
            self._turns.spread(claim)
        elif (changed := self._outdated(claim)) and not goes_on(claim, changed):
            self._endings.ask(claim, escalating.outdated(subtask, changed))
        elif subtask.deaths >= SUSPECT_DEATHS:
            self._think_alone(claim)
        else:
            self._suspects.begun()
            self._think(claim)

    def _think_alone(self, claim: Claim) -> None:
        """Work on a suspect, unless this process is at another one: either may be what workers die of."""
        with self._suspects.alone(claim.subtask.id) as seconds:
            if seconds:
                self._turns.give_back(claim, seconds)
            else:
                self._think(claim)

    def _think(self, claim: Claim) -> None:
        try:
            agent = self._assembly.agent(claim)
        except MustWaitError as error:
            self._turns.give_back(claim, error.seconds)
        else:
            self._loop(claim, agent)

    def _loop(self, claim: Claim, agent: Agent) -> None:
        until = Deadline.after(TURN_SECONDS)
        journal = TurnJournal(
            claim,
            agent.toolbox,
            store=self._store,
            turns=self._turns,
            blobs=self._blobs,
            clock=self._clock,
            holds=self._holds,
            must_yield=lambda: until.passed() or self._stopping(),
            lost=self._at_work.losing(claim.subtask.id),
        )
        try:
            with self._metered(claim, agent) as metered:
                end = Loop(metered, claim.steps, journal, self._telemetry, self._executor).run()
        except LimitReachedError as error:
            self._limited(claim, error)
        except MustWaitError as error:
            self._turns.give_back(claim, error.seconds)
        except ModelUnavailableError as error:
            self._turns.put_off(claim, str(error), error.retry_after or 0.0)
        except ModelRefusedError as error:
            self._turns.end(claim, Finding(status="failed", ending=Ending.REFUSED, text=str(error)))
        else:
            self._ended(claim, journal, end)

    def _metered(self, claim: Claim, agent: Agent) -> AbstractContextManager[Agent]:
        """Undoing costs nothing, and no limit may stop it."""
        return nullcontext(agent) if claim.subtask.spec.kind == "undo" else self._metering.turn(claim, agent)

    def _limited(self, claim: Claim, error: LimitReachedError) -> None:
        """A budget does not allow the next call: look again soon, ask a person, or end with what is known."""
        refusal = error.refusal
        if refusal.busy:
            self._turns.give_back(claim, BUSY_SECONDS)
        elif refusal.on_limit == "ask":
            self._turns.await_more(claim, refusal)
        else:
            known = known_so_far(self._store.steps(claim.subtask.id))
            text = f"{reached(refusal)} {known}"
            self._turns.end(claim, Finding(status="partial", ending=error.ending, text=text))

    def _ended(self, claim: Claim, journal: TurnJournal, end: End) -> None:
        match end:
            case Answered(step, accepted, ending):
                self._turns.end(claim, accepted.finding(ending), step)
            case AskedPeople(step, done, drafts):
                journal.ask(step, done, drafts)
            case Yielded(seconds):
                self._turns.give_back(claim, seconds)
            case Stopped(ending, said, step):
                self._turns.end(claim, _stopped(ending, said), step)


def _stopped(ending: Ending, said: str) -> Finding:
    """An agent that was stopped by a limit leaves what it knew; one that made no sense has failed."""
    failed = ending in {Ending.UNPARSABLE, Ending.REFUSED}
    return Finding(status="failed" if failed else "partial", ending=ending, text=said)
