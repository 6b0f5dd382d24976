"""Intake: a goal becomes a run whose first subtask is to plan it."""

from orchestrator.domain.budget import Allowance, Purse, Shared, accounts
from orchestrator.domain.changes import AddSubtasks, Change, Note, OpenAccounts, OpenRun
from orchestrator.domain.goal import Limits
from orchestrator.domain.identity import Actor
from orchestrator.domain.run import Run
from orchestrator.domain.subtask import NewSubtask, SubtaskSpec, subtask_id

PLAN = "plan"


def limited(run: Run, purse: Purse) -> tuple[Run, list[Change]]:
    """The run with the limits that hold for it, and the change that opens its accounts, if there are any.

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
    return run.model_copy(update={"goal": goal}), [OpenAccounts(chain, on_limit)] if chain else []


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
    return [OpenRun(run), AddSubtasks(run.id, (planner,)), Note(run.id, actor, "submitted", run.goal.text[:500])]
