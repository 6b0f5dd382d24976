"""Cases are tried through the engine: their people answer, what waits is given up, what was done is read back."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agents.catalog import pin
from agents.evals.case import Case, Expected, Person
from agents.evals.trial import Trial
from agents.models.base import ModelRequest
from orchestrator.cli.desk import ChosenTeam, Desk
from orchestrator.domain.goal import Limits
from orchestrator.domain.subtask import lane_of
from orchestrator.engine.services.checking import Checker
from orchestrator.engine.services.submitting import Submitter
from workers.trial_record import Recorder
from workers.trials import Sitting, Trials

Make = Callable[..., Any]


def saying(value: Any) -> Callable[..., Any]:
    """An agent that always says the same."""

    def say(briefing: Any, request: ModelRequest) -> Any:
        del briefing, request
        return value

    return say


def case(name: str = "one", people: tuple[Person, ...] = (), limits: Limits | None = None) -> Case:
    """A case that expects nothing."""
    return Case(
        name=name,
        goal="Find out.",
        team="flow",
        tools=(),
        inputs={},
        parameters={"by": "hand"},
        people=people,
        limits=limits or Limits(),
        expect=Expected(),
        source="cases.yaml:1",
    )


@pytest.fixture
def tried(tmp_path: Path) -> Callable[..., list[Trial]]:
    """Tries cases with an engine in this process; it works whenever it is looked after."""

    def run(flow: Any, *cases: Case, at_once: int = 4, patience: float = 60.0) -> list[Trial]:
        submitter = Submitter(flow.applier, flow.blobs, flow.clock, flow.telemetry)
        desk = Desk(flow.scope, flow.actor, submitter, flow.answers, flow.reader, flow.results, flow.work, tmp_path)
        recorder = Recorder(flow.scope, flow.reader, flow.results, flow.store, Checker(flow.store, flow.blobs))
        trials = Trials(desk, recorder, at_once=at_once, patience=patience, watch=0.0)
        team = ChosenTeam(flow.team.rules(), pin(flow.team), ("words",))
        sittings = [Sitting(number, one, team) for number, one in enumerate(cases)]
        ended = {sitting.number: trial for sitting, trial in trials.run(sittings)}
        return [ended[number] for number in range(len(cases))]

    return run


def test_what_is_read_back(flow: Make, tried: Make) -> None:
    """Answer, data, calls, tokens, steps and cost of a run that went the usual way."""
    (trial,) = tried(flow(), case())
    assert (trial.state, trial.answer, trial.unsupported) == ("done", "- 1 + 1 = 2 [E2.1]", ())
    assert [str(call) for call in trial.calls] == ["calculator(expression='1 + 1')"]
    assert (trial.calls[0].agent, trial.calls[0].ok, trial.calls[0].effect) == ("finder", True, "read")
    assert (trial.steps, trial.tokens, str(trial.cost), trial.models) == (5, 100, "0.005", ("words",))
    assert trial.documents[0]["answer"] == trial.answer
    assert 0 < trial.worked <= trial.seconds < 60


def test_more_cases_than_go_at_once(flow: Make, tried: Make) -> None:
    """Each has a run of its own."""
    trials = tried(flow(), *(case(str(number)) for number in range(5)), at_once=2)
    assert [trial.state for trial in trials] == ["done"] * 5
    assert len({trial.run for trial in trials}) == 5


def test_others_go_first(flow: Make, tried: Make) -> None:
    """What is tried is batch work, whatever the team's priority: nobody who waits for an answer waits for a trial."""
    engine = flow()
    tried(engine, case("one"), case("two"))
    assert [lane_of(run.rules.priority) for run, _ in engine.reader.runs(engine.scope, 10)] == ["batch", "batch"]


def test_a_person_of_the_case_answers(flow: Make, tried: Make) -> None:
    """The question that fits is answered, and the run goes on with the answer."""

    def plan(_: Any, request: ModelRequest) -> Any:
        told = request.messages[-1].text
        return {"answer": "For March."} if "March" in told else {"ask": {"question": "Which month?"}}

    person = Person.model_validate({"question": "month", "answer": "March"})
    (trial,) = tried(flow(planner=plan), case(people=(person,)))
    assert (trial.state, trial.answer) == ("done", "For March.")
    assert [(one.question, one.answer) for one in trial.tickets] == [("Which month?", "March")]


@pytest.mark.parametrize(
    "person", [None, {"question": "year", "answer": "2025"}, {"topic": "review", "answer": "stop"}]
)
def test_nobody_answers(flow: Make, tried: Make, person: Any) -> None:
    """The trial waits with its ticket; the run is cancelled, so that nothing is left waiting for ever."""
    people = (Person.model_validate(person),) if person else ()
    engine = flow(planner=saying({"ask": {"question": "Which month?"}}))
    (trial,) = tried(engine, case(people=people))
    assert (trial.state, [one.status for one in trial.tickets]) == ("waiting", ["open"])
    assert engine.progress(trial.run).state == "cancelled"
    assert engine.store.tickets(engine.scope, status="open") == []


def test_an_answer_that_does_not_fit_is_not_tried_again(flow: Make, tried: Make) -> None:
    """A person whose answer is refused is nobody."""

    def find(_: Any, request: ModelRequest) -> Any:
        choices = [{"value": "a", "label": "A"}, {"value": "b", "label": "B"}]
        return [("escalate", {"question": "A or B?", "choices": choices})]

    (trial,) = tried(flow(specialist=find), case(people=(Person(answer="c"),)))
    assert (trial.state, trial.tickets[0].status) == ("waiting", "open")
    assert (trial.calls[0].tool, trial.calls[0].ok) == ("escalate", None)


def test_unsupported_figures_are_counted(flow: Make, tried: Make) -> None:
    """An answer that a person has to let stand is judged with all that is wrong with it."""
    person = Person.model_validate({"topic": "review", "answer": "accept"})
    engine = flow(composer=saying({"answer": "It is 3 [E2.1], or 4."}))
    (trial,) = tried(engine, case(people=(person,)))
    assert trial.state == "done"
    assert len(trial.unsupported) == 2


def test_unsupported_figures_of_an_answer_that_waits(flow: Make, tried: Make) -> None:
    """Also what only waits to be let stand is an answer."""
    (trial,) = tried(flow(composer=saying({"answer": "It is 3 [E2.1]."})), case())
    assert (trial.state, len(trial.unsupported)) == ("waiting", 1)


def test_the_limits_of_a_case_stop_its_run(flow: Make, tried: Make) -> None:
    """They are the run's own limits."""
    (trial,) = tried(flow(), case(limits=Limits(steps=2)))
    assert (trial.state, trial.steps) == ("limit", 2)


def test_a_run_that_does_not_end_is_given_up(flow: Make, tried: Make) -> None:
    """After the time that was set it is cancelled."""
    engine = flow()
    engine.work = lambda: None
    (trial,) = tried(engine, case(), patience=0.05)
    assert trial.state == "late"
    assert engine.progress(trial.run).state == "cancelled"


def test_stopping_an_evaluation_stops_its_runs(flow: Make, tmp_path: Path) -> None:
    """Whoever stops listening leaves no run behind."""
    engine = flow()
    submitter = Submitter(engine.applier, engine.blobs, engine.clock, engine.telemetry)

    def work() -> None:
        """Only the run that was handed in first goes on."""
        first, _ = engine.reader.runs(engine.scope, 10)[-1]
        for subtask_id in engine.broker.take():
            if subtask_id.startswith(first.id):
                engine.runner.run(subtask_id)

    desk = Desk(engine.scope, engine.actor, submitter, engine.answers, engine.reader, engine.results, work, tmp_path)
    recorder = Recorder(engine.scope, engine.reader, engine.results, engine.store, Checker(engine.store, engine.blobs))
    team = ChosenTeam(engine.team.rules(), pin(engine.team), ("words",))
    going = Trials(desk, recorder, at_once=2, patience=60, watch=0.0).run(
        [Sitting(number, case(str(number)), team) for number in range(3)]
    )
    sitting, trial = next(going)
    assert (sitting.number, trial.state) == (0, "done")
    going.close()
    assert [state for _, state in engine.reader.runs(engine.scope, 10)] == ["cancelled", "done"]
