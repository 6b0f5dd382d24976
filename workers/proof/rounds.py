"""Rounds: the team once undisturbed, then again and again with faults, until each round held or broke a promise."""

import shutil
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from orchestrator.adapters.sql import open_store
from orchestrator.cli.desk import ChosenTeam
from orchestrator.config import Settings
from orchestrator.domain.goal import Limits
from orchestrator.engine.services.root_spans import ABANDONED_SECONDS
from orchestrator.errors import ConfigError, OutsideError, ServiceError, TeamError
from orchestrator.ports.clock import Deadline, SystemClock
from workers.chaos.hits import Hits, Tally
from workers.chaos.plan import Plan
from workers.proof.asked import LEASE_SECONDS, Asked
from workers.proof.auditor import Auditor
from workers.proof.handing_in import submitted
from workers.proof.homes import home_of
from workers.proof.judge import Expected, broken_promises, deeds_of, outcome_of, without_root_span
from workers.proof.person import Person
from workers.proof.quitter import Quitter, patience
from workers.proof.stage import Stage, stage
from workers.proof.waker import waking
from workers.proof.warden import Warden
from workers.wiring import CommandWiring

STOP_SECONDS = 1.5 * LEASE_SECONDS
TICK = 0.1
MOST_AT_FULL_RATE = 100
"""So many faults are met in a round of the usual size at rate 1; fewer are spread over the same time."""
WRITTEN_WITHIN = 60.0
"""Seconds after which a root span that is due counts as missing."""
PARALLEL = 4
"""Subtasks of every second run that are at work at the same time."""
ROOM = 2
"""How many times the tokens of an undisturbed run a disturbed one may use; it asks for more."""


@dataclass(frozen=True, slots=True)
class Round:
    """What came of a round."""

    number: int
    seed: int
    seconds: float
    tallies: Mapping[str, Tally]
    answered: int
    """Tickets that were answered."""
    cancelled: int
    """Runs that were called off and have undone what they did."""
    broken: Sequence[str]
    """Promises that were not kept."""
    home: Path | None
    """Where everything still is, if one was not."""

    @property
    def held(self) -> bool:
        """True when every promise was kept."""
        return not self.broken


@dataclass(frozen=True, slots=True)
class Calm:
    """What undisturbed runs came to, and what they used."""

    expected: Expected
    tokens: int


class Attended:
    """A stage with everybody who looks after it."""

    def __init__(self, stage: Stage, plan: Plan, quitter: Quitter, caps: Mapping[str, int]) -> None:
        self.stage = stage
        self.person = Person(stage)
        self.auditor = Auditor(stage, caps)
        self.warden = Warden(stage, plan)
        self.quitter = quitter
        self._calm = plan.most == 0

    def tick(self, run_ids: Sequence[str]) -> None:
        """Let each do what is due, and start again what has ended. Raises ServiceError when no worker comes up."""
        self.warden.tick()
        state = self.stage.session.status()
        if self._calm and state.trouble is not None and not state.ready:
            raise ServiceError(state.trouble.what, where=state.trouble.log)
        self.quitter.tick()
        self.person.tick(run_ids, self.quitter.unwanted)
        if self._calm and self.person.set_aside:
            raise ServiceError(
                "workers broke though nothing disturbed them", where=str(self.stage.settings.home / "logs")
            )
        self.auditor.tick(run_ids)

    def complaints(self) -> Sequence[str]:
        """What they saw that should not have been."""
        return [*self.person.unexpected, *self.auditor.exceeded]


def prove(asked: Asked) -> Generator[Round]:
    """Each round when it has ended. Raises ServiceError, StoreError, ConfigError, TeamError."""
    team = CommandWiring(lambda: Settings(home=asked.folder, model=None)).team(asked.team)
    if asked.cancelled and team.rules.on_cancel != "compensate":
        mend = 'Write `on_cancel = "compensate"` in it, or say --cancelled 0.'
        raise TeamError("what its cancelled runs did is not undone", where=asked.team, mend=mend)
    if asked.database is not None and asked.database.startswith("sqlite"):
        mend = "Leave it out: each round has a SQLite file of its own."
        raise ConfigError("this takes a PostgreSQL database", where="--database", mend=mend)
    if asked.database is not None:  # a mistake in it is told before anything is started
        open_store(asked.database, SystemClock()).close()
    calm = _calm(asked, team)
    for number in range(asked.first_round, asked.first_round + asked.rounds):
        yield _round(asked, team, number, calm)


def _calm(asked: Asked, team: ChosenTeam) -> Calm:
    """The same run with nothing in its way; it is decorated all the same, so that its tokens are counted."""
    plan = _plan(asked, 0, faults=0)
    with home_of(asked.folder, "undisturbed") as home, stage(asked, home, plan) as quiet:
        run_id = submitted(quiet, team, asked, Limits())
        if not _ended(Attended(quiet, plan, Quitter(quiet, {}), {}), [run_id], asked.patience):
            raise ServiceError("the undisturbed run did not end", where=str(home / "logs"))
        data, files = outcome_of(quiet, run_id)
        deeds = frozenset((one.tool, one.number) for one in deeds_of(quiet, run_id))
        usage = quiet.opened.store.usage(run_id)
        tokens = sum(one.input_tokens + one.output_tokens for one in usage)
    shutil.rmtree(home, ignore_errors=True)
    return Calm(Expected(data, files, deeds), tokens)


def _round(asked: Asked, team: ChosenTeam, number: int, calm: Calm) -> Round:
    plan = _plan(asked, number, asked.faults)
    limits = Limits(tokens=max(1, ROOM * calm.tokens), on_limit="ask")
    started = time.monotonic()
    with home_of(asked.folder, f"round-{number}") as home, stage(asked, home, plan) as played:
        caps = [PARALLEL if n % 2 else None for n in range(asked.runs + asked.cancelled)]
        with waking(played.folder, plan.stop_seconds):
            run_ids = [submitted(played, team, asked, limits, cap) for cap in caps]
            called_off = patience(asked, number, run_ids[asked.runs :])
            capped = {run: cap for run, cap in zip(run_ids, caps, strict=True) if cap}
            attended = Attended(played, plan, Quitter(played, called_off), capped)
            ended = _ended(attended, run_ids, asked.patience)
            if ended:
                _wait_for_root_spans(attended, run_ids)
        broken = [*attended.complaints(), *broken_promises(played, run_ids, calm.expected, called_off)]
        cancelled = sum(played.opened.store.run(played.scope, one).status == "cancelled" for one in run_ids)
        if not ended:
            broken.insert(0, f"not every run has ended after {asked.patience:g} s")
            _cancel(played, run_ids)
        tallies = Hits(played.folder).tallies()
    if not broken:
        shutil.rmtree(home, ignore_errors=True)
    return Round(
        number=number,
        seed=asked.seed,
        seconds=time.monotonic() - started,
        tallies=tallies,
        answered=attended.person.answered,
        cancelled=cancelled,
        broken=broken,
        home=home if broken else None,
    )


def _plan(asked: Asked, number: int, faults: int) -> Plan:
    rate = max(faults, 1) / MOST_AT_FULL_RATE
    return Plan(seed=asked.seed, round=number, most=faults, rate=rate, stop_seconds=STOP_SECONDS)


def _ended(attended: Attended, run_ids: Sequence[str], patience: float) -> bool:
    """Wait for the runs, answer what they ask and keep the services going; False when patience has ended."""
    until, stage_ = Deadline.after(patience), attended.stage
    while not until.passed():
        attended.tick(run_ids)
        with suppress(OutsideError):
            if all(stage_.opened.store.run(stage_.scope, one).status != "running" for one in run_ids):
                return True
        time.sleep(TICK)
    return False


def _wait_for_root_spans(attended: Attended, run_ids: Sequence[str]) -> None:
    """They are written in a moment; where who ended a run was killed, only when it is given up for dead."""
    until = Deadline.after(ABANDONED_SECONDS + WRITTEN_WITHIN)
    while not until.passed():
        attended.tick(run_ids)
        with suppress(OutsideError):
            if not without_root_span(attended.stage, run_ids):
                return
        time.sleep(TICK)


def _cancel(on: Stage, run_ids: Sequence[str]) -> None:
    """Leave nothing going in a database that later rounds use too."""
    for run_id in run_ids:
        with suppress(OutsideError):
            if on.opened.store.run(on.scope, run_id).status == "running":
                on.opened.reader.cancel(on.scope, run_id, "the round has failed", on.actor)
