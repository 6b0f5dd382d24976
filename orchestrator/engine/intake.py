"""Intake: a goal becomes a run whose first subtask is to plan it."""

from orchestrator.domain.changes import AddSubtasks, Change, Note, OpenRun
from orchestrator.domain.identity import Actor
from orchestrator.domain.run import Run
from orchestrator.domain.subtask import NewSubtask, SubtaskSpec, subtask_id

PLAN = "plan"


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
