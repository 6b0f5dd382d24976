"""Undoing: a cancelled run stops at once, and ends when what it did has been undone."""

from collections.abc import Iterable

from orchestrator.domain.changes import AddSubtasks, Change, EndRun, Note, RevisePlan, StopWork
from orchestrator.domain.finding import Finding
from orchestrator.domain.identity import ENGINE, Actor
from orchestrator.domain.run import Outcome, Run
from orchestrator.domain.subtask import NewSubtask, Subtask, SubtaskSpec, subtask_id
from orchestrator.engine.collecting import settled

UNDO = "undo"


def stopped(run: Run, reason: str, actor: Actor) -> list[Change]:
    """The changes that stop all work of a run and have its effects undone."""
    spec = SubtaskSpec(kind="undo", agent=UNDO, title="Undo what was done", instruction=reason)
    undo = NewSubtask(
        id=subtask_id(run.id, UNDO),
        run_id=run.id,
        key=UNDO,
        version=run.version,
        spec=spec,
        priority=run.rules.priority,
    )
    return [
        RevisePlan(run.id, run.revision, run.version, run.replans, run.reviews),
        StopWork(run.id),
        AddSubtasks(run.id, (undo,)),
        Note(run.id, actor, "cancelled", reason),
    ]


def undone(run: Run, subtask: Subtask, finding: Finding) -> list[Change]:
    """The changes that end the run, whatever could be undone."""
    told = finding.text or str(finding.ending)
    outcome = Outcome(status="cancelled", reason=f"{subtask.spec.instruction}\n{told}")
    return [settled(subtask, finding), Note(run.id, ENGINE, "undone", told), EndRun(run.id, outcome)]


def is_under_way(subtasks: Iterable[Subtask]) -> bool:
    """True when the run was cancelled before, and what it did is being undone."""
    return any(one.spec.kind == "undo" for one in subtasks)
