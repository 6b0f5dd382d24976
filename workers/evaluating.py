"""Evaluating: which case is tried by which team and model, and how: through the engine, or by the model alone."""

from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from agents.catalog import AgentSpec, Team, check, load_team, pin
from agents.evals.case import Case
from agents.evals.plain import plain_trial
from agents.evals.tool_team import team_of
from agents.evals.trial import Trial
from agents.evals.variants import Variant
from agents.models.openai_chat.registry import Models
from agents.models.playbook import NAME as PLAYBOOK
from orchestrator.cli.desk import ChosenTeam
from orchestrator.cli.run_command import checked
from orchestrator.config import Settings
from orchestrator.errors import ConfigError, TeamError
from workers.models import endpoint, with_models
from workers.wiring import CommandWiring

if TYPE_CHECKING:
    from workers.trials import Sitting


@dataclass(frozen=True, slots=True)
class Attempt:
    """One case to be tried once under one variant; a `team` of None: the model alone."""

    number: int
    case: Case
    variant: Variant
    repeat: int
    team: ChosenTeam | None


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that is to be tried."""

    variants: tuple[Variant, ...]
    attempts: tuple[Attempt, ...]


def planned(cases: Sequence[Case], variants: Sequence[Variant], repeat: int, settings: Settings) -> Plan:
    """What is to be tried. Raises TeamError, ConfigError before anything is started."""
    teams = _Teams(settings)
    attempts = [
        (case, variant, number, None if variant.plain else teams.team(case, variant))
        for case in cases
        for variant in variants
        for number in range(1, repeat + 1)
    ]
    return Plan(tuple(variants), tuple(Attempt(at, *one) for at, one in enumerate(attempts)))


class _Teams:
    """Loads, checks and pins each team once."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._chosen = lru_cache(maxsize=None)(self._choose)

    def team(self, case: Case, variant: Variant) -> ChosenTeam:
        """The team of a case under a variant."""
        named = variant.team or case.team
        return self._chosen(named, () if named else case.tools, variant.model)

    def _choose(self, named: str | None, tools: tuple[str, ...], model: str | None) -> ChosenTeam:
        team = load_team(named) if named else team_of(tools)
        if faults := check(team):
            raise TeamError(faults[0], where=team.source or team.title)
        team = with_models(_with_model(team, model) if model else team, self._settings)
        models = tuple(dict.fromkeys(agent.model or "" for agent in team.agents()))
        return ChosenTeam(team.rules(), pin(team), models)


def _with_model(team: Team, model: str) -> Team:
    """The team with this model for every agent, whatever its file says."""

    def changed(agent: AgentSpec) -> AgentSpec:
        if model == PLAYBOOK and agent.playbook is None:
            what = f"agent `{agent.name}` of team `{team.name}` has no playbook"
            raise ConfigError(what, where="--model playbook", mend="Name a model.")
        return agent.model_copy(update={"model": model})

    return team.model_copy(
        update={
            "planner": changed(team.planner),
            "specialists": tuple(changed(agent) for agent in team.specialists),
            "composer": changed(team.composer),
            "reviewer": changed(team.reviewer),
        }
    )


def evaluate(
    plan: Plan, wiring: CommandWiring, settings: Settings, *, at_once: int, patience: float
) -> Generator[tuple[Attempt, Trial]]:
    """Try everything; each attempt comes out with its trial when that has ended."""
    _check(plan, wiring)
    plain = [attempt for attempt in plan.attempts if attempt.team is None]
    if plain:
        yield from _plainly(plain, settings, at_once)
    if len(plain) < len(plan.attempts):
        yield from _by_teams(plan, wiring, settings, at_once, patience)


def _check(plan: Plan, wiring: CommandWiring) -> None:
    """Have each team look at the inputs of its cases, once. Raises InputError, ConfigError."""
    looked: set[tuple[str, str]] = set()
    for one in plan.attempts:
        if one.team is None:
            continue
        key = (one.team.pinned, one.case.source if one.case.inputs or one.case.parameters else "")
        if key not in looked:
            wiring.check_inputs(one.team, checked(one.case.inputs), one.case.parameters)
            looked.add(key)


def _plainly(attempts: Sequence[Attempt], settings: Settings, at_once: int) -> Generator[tuple[Attempt, Trial]]:
    with Models(endpoint(settings)) as models, ThreadPoolExecutor(at_once) as executor:
        asked = {executor.submit(plain_trial, one.case, models.model(one.variant.model)): one for one in attempts}
        for future in as_completed(asked):
            yield asked[future], future.result()


def _by_teams(
    plan: Plan, wiring: CommandWiring, settings: Settings, at_once: int, patience: float
) -> Generator[tuple[Attempt, Trial]]:
    # The database layer is slow to import, and not needed before all teams are known to be good.
    from workers.runtime import runtime  # noqa: PLC0415
    from workers.trial_record import Recorder  # noqa: PLC0415
    from workers.trials import Trials  # noqa: PLC0415

    by_number = {one.number: one for one in plan.attempts}
    with wiring.working() as desk, runtime(settings, None, "remit-eval") as opened:
        recorder = Recorder(desk.scope, desk.reader, desk.results, opened.store, opened.checker)
        trials = Trials(desk, recorder, at_once=at_once, patience=patience)
        for sitting, trial in trials.run(_sittings(plan)):
            yield by_number[sitting.number], trial


def _sittings(plan: Plan) -> list["Sitting"]:
    from workers.trials import Sitting  # noqa: PLC0415  # as above

    return [Sitting(one.number, one.case, one.team) for one in plan.attempts if one.team is not None]
