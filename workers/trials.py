"""Trials: runs the goals of cases through the engine, some at the same time, and answers for their people."""

import time
from collections import deque
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, field

from agents.evals.case import Case, Person
from agents.evals.judging import fits
from agents.evals.likeness import is_like
from agents.evals.trial import Trial
from orchestrator.cli.desk import ChosenTeam, Desk
from orchestrator.domain.ticket import Ticket
from orchestrator.engine.services.submitting import Request
from orchestrator.errors import ConflictError, InputError, TicketError
from workers.trial_record import Recorder

POLL_SECONDS = 0.1
WATCH_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Sitting:
    """One case to be tried once by a team; `number` tells the sittings apart."""

    number: int
    case: Case
    team: ChosenTeam


@dataclass(slots=True)
class _Going:
    """A sitting whose run goes on."""

    sitting: Sitting
    run_id: str
    started: float = field(default_factory=time.monotonic)
    refused: set[str] = field(default_factory=set[str])
    """Tickets to which nobody of the case has an answer that fits."""


class Trials:
    """Tries cases, some at the same time."""

    def __init__(
        self, desk: Desk, recorder: Recorder, *, at_once: int, patience: float, watch: float = WATCH_SECONDS
    ) -> None:
        """`patience`: seconds after which a run that has not ended is cancelled; `watch`: how often the services are
        looked after."""
        self._desk = desk
        self._recorder = recorder
        self._at_once = at_once
        self._patience = patience
        self._watch = watch

    def run(self, sittings: Iterable[Sitting]) -> Generator[tuple[Sitting, Trial]]:
        """Try all of them; each comes out when it has ended."""
        to_do = deque(sittings)
        going: list[_Going] = []
        watch_at = 0.0
        try:
            while to_do or going:
                while to_do and len(going) < self._at_once:
                    going.append(self._begin(to_do.popleft()))
                ended = [(one, trial) for one in going if (trial := self._look(one))]
                for one, trial in ended:
                    going.remove(one)
                    yield one.sitting, trial
                if time.monotonic() >= watch_at:
                    self._desk.keep_alive()
                    watch_at = time.monotonic() + self._watch
                if not ended:
                    time.sleep(POLL_SECONDS)
        finally:
            for one in going:  # somebody stopped the evaluation
                self._cancel(one.run_id)

    def _begin(self, sitting: Sitting) -> _Going:
        case, team = sitting.case, sitting.team
        # Whoever evaluates can wait: what others ask for on the same workers goes first.
        request = Request(case.goal, case.inputs, team.rules, team.pinned, case.parameters, case.limits, lane="batch")
        return _Going(sitting, self._desk.submitter.submit(request, self._desk.scope, self._desk.actor).id)

    def _look(self, one: _Going) -> Trial | None:
        """The trial, when its run has ended or waits for somebody who is not there."""
        now = self._desk.reader.progress(self._desk.scope, one.run_id)
        asks = any(ticket.status == "open" for ticket in now.tickets)  # else a run that waits only waits for time
        waits = now.state == "waiting"
        if now.state == "running" or (waits and (not asks or self._answered(one, now.tickets))):
            if time.monotonic() - one.started < self._patience:
                return None
            self._cancel(one.run_id)
            return self._recorder.trial(one.run_id, "late")
        trial = self._recorder.trial(one.run_id, now.state)
        if waits:
            self._cancel(one.run_id)  # or its tickets would wait for ever
        return trial

    def _answered(self, one: _Going, tickets: Sequence[Ticket]) -> bool:
        """Answer the open tickets that the case has a person for; False when there was none."""
        answered = False
        for ticket in tickets:
            person = None if ticket.id in one.refused else _person(one.sitting.case.people, ticket)
            if ticket.status != "open" or person is None:
                continue
            desk = self._desk
            try:
                desk.answers.answer(desk.scope, ticket.id, person.answer, person.comment, desk.actor)
            except TicketError:
                one.refused.add(ticket.id)
            else:
                answered = True
        return answered

    def _cancel(self, run_id: str) -> None:
        try:
            self._desk.reader.cancel(
                self._desk.scope, run_id, "the evaluation does not go on with it", self._desk.actor
            )
        except (InputError, ConflictError):
            return  # it has ended meanwhile


def _person(people: Sequence[Person], ticket: Ticket) -> Person | None:
    for person in people:
        about = person.about is None or is_like(person.about, ticket.about)
        topic = person.topic is None or person.topic == ticket.topic
        if about and topic and fits(person.question, ticket.question):
            return person
    return None
