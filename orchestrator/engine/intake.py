"""Intake: a goal becomes a run whose first subtask is to plan it."""

from orchestrator.domain.budget import Allowance, Purse, Shared, accounts
from orchestrator.domain.caps import caps_of
from orchestrator.domain.changes import AddSubtasks, CapRun, Change, Note, OpenAccounts, OpenRun
from orchestrator.domain.goal import Limits
from orchestrator.domain.identity import Actor
from orchestrator.domain.run import Run, TeamRules
from orchestrator.domain.subtask import Lane, NewSubtask, SubtaskSpec, lane_of, subtask_id

PLAN = "plan"
BATCH = 1_000_000
"""Above every priority of a team: less by so much, they keep their order behind all that somebody waits for."""


def limited(run: Run, purse: Purse) -> tuple[Run, list[Change]]:
    """The run with the limits that hold for it, and the change that opens its accounts and lifts limits that are gone.

    What whoever asks allows the run goes before what its team allows each run.
    """
    asked, budget = run.goal.limits, run.rules.budget
    given = {kind: getattr(asked, kind) for kind in Allowance.model_fields if getattr(asked, kind) is not None}
    own = budget.run.model_copy(update=given)
    shared = Shared(run.tenant, run.rules.team, f"{run.created_at:%Y-%m}", budget.month, purse.month)
    chain = accounts(run.id, own, shared)
    on_limit = asked.on_limit or budget.on_limit or "stop"
    limits = Limits(**dict(own), on_limit=on_limit, tariff=purse.tariff if chain else None)
    goal = run.goal.model_copy(update={"limits": limits})
    return run.model_copy(update={"goal": goal}), [OpenAccounts(chain, on_limit, shared.unlimited())]


def in_lane(rules: TeamRules, lane: Lane | None) -> TeamRules:
    """The rules of a run for whom a person waits, or nobody; not said: as the team's priority says."""
    if lane is None or lane_of(rules.priority) == lane:
        return rules
    return rules.model_copy(update={"priority": 0 if lane == "interactive" else rules.priority - BATCH})


def capped(run: Run) -> list[Change]:
    """The change that notes which caps concern the run, if any does."""
    caps = caps_of(run.id, run.tenant, run.rules.team, run.rules.caps, run.goal.parallel)
    return [CapRun(run.id, caps)] if caps.most() else []


def opened(run: Run, actor: Actor) -> list[Change]:
    """The changes that open `run` for `actor`."""
    spec = SubtaskSpec(
        kind="planner",
        agent="planner",
        title="Plan the work",
        instruction="Split the goal into subtasks, answer it, or ask what is missing.",
        inputs=tuple(file.name for file in run.goal.inputs),
    )
    planner = NewSubtask(
        id=subtask_id(run.id, PLAN), run_id=run.id, key=PLAN, version=1, spec=spec, priority=run.rules.priority
    )
    return [
        OpenRun(run),
        *capped(run),
        AddSubtasks(run.id, (planner,)),
        Note(run.id, actor, "submitted", run.goal.text[:500]),
    ]
