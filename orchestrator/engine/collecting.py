"""Collecting: a subtask has ended; its direct dependents are released, and a failure may call for a new plan."""

from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.domain.changes import AddSubtasks, Change, ExpectPlan, Release, RevisePlan, Settle
from orchestrator.domain.finding import Ending, Finding
from orchestrator.domain.run import MOST_REPLANS, Run
from orchestrator.domain.subtask import Edge, NewSubtask, Status, Subtask, SubtaskSpec, subtask_id

_HOPELESS = frozenset({Ending.SKIPPED, Ending.CANCELLED})
"""Endings that no other plan would mend."""


@dataclass(frozen=True, slots=True)
class Around:
    """What planning around a failure has to know: the composer that waits, and whether a planner is at it already."""

    composer: Subtask | None
    replanning: bool


def settled(subtask: Subtask, finding: Finding) -> Settle:
    """The change that ends a subtask with its finding."""
    return Settle(subtask.id, Status(finding.status), finding)


def released(edge: Edge, *, usable: bool, because: str = "") -> Release:
    """The change that takes an edge away: `any` is satisfied by every end, `done` only by a usable finding."""
    satisfied = usable or edge.needs == "any"
    return Release(edge, satisfied, "" if satisfied else because)


def collected(run: Run, subtask: Subtask, finding: Finding, dependents: Sequence[Edge]) -> list[Change]:
    """The changes that end a subtask and release all its direct dependents."""
    because = f"{subtask.spec.title} ({subtask.key}) ended without a usable finding: {finding.text[:300]}"
    releases = [released(edge, usable=finding.usable, because=because) for edge in dependents]
    return [ExpectPlan(run.id, run.revision), settled(subtask, finding), *releases]


def wants_replan(run: Run, subtask: Subtask, finding: Finding) -> bool:
    """True when another plan may find a way around this end."""
    planned = subtask.spec.kind in {"specialist", "group"} and subtask.parent_id is None
    return planned and finding.status == "failed" and finding.ending not in _HOPELESS and run.replans < MOST_REPLANS


def failed(run: Run, subtask: Subtask, finding: Finding, dependents: Sequence[Edge], around: Around) -> list[Change]:
    """The changes that end a failed subtask and have it planned around.

    Dependents that need it done are held back, blocked, until the new plan replaces or releases them.
    """
    count = run.replans + (0 if around.replanning else 1)
    changes: list[Change] = [RevisePlan(run.id, run.revision, run.version, count, run.reviews)]
    if not around.replanning:
        planner = _replanner(run, subtask, finding, count)
        waits = (Edge(from_id=planner.id, to_id=around.composer.id, needs="any"),) if around.composer else ()
        changes.append(AddSubtasks(run.id, (planner,), waits))
    at_once = [released(edge, usable=False) for edge in dependents if edge.needs == "any"]
    settle = Settle(subtask.id, Status(finding.status), finding, holds=True)
    return [*changes, settle, *at_once]


def _replanner(run: Run, subtask: Subtask, finding: Finding, count: int) -> NewSubtask:
    key = f"replan{count}"
    spec = SubtaskSpec(
        kind="planner",
        agent="planner",
        title=f"Plan around {subtask.key}",
        instruction=(
            f"Subtask `{subtask.key}` ({subtask.spec.title}) failed: {finding.text or finding.ending}. "
            "Name again all that is still to be done, another way; answer if nothing else can be tried."
        ),
        inputs=tuple(file.name for file in run.goal.inputs),
        around=(subtask.id,),
    )
    return NewSubtask(
        id=subtask_id(run.id, key),
        run_id=run.id,
        key=key,
        version=run.version,
        spec=spec,
        priority=run.rules.priority,
    )
