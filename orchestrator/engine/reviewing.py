"""Reviewing: the verdict and the code's own check decide: pass, send back, or put it to a person."""

from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.domain.changes import AddSubtasks, Change, EndRun, RevisePlan
from orchestrator.domain.graph import Graph
from orchestrator.domain.run import MOST_REVIEWS, Outcome, Run, RunStatus
from orchestrator.domain.subtask import Edge, NewSubtask, Subtask, base_key, subtask_id
from orchestrator.domain.ticket import Choice, TicketDraft
from orchestrator.domain.verdict import SentBack, Verdict

MOST_REASONS = 20
"""Reasons that one sending back carries; more would not be read."""


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What is known when a verdict is in."""

    answer: Subtask
    """The subtask whose finding is the answer."""
    verdict: Verdict
    faults: tuple[str, ...]
    """What the code's check of figures, quotes and sums found, a sentence each."""
    withheld: tuple[str, ...]
    """Strings of the answer that must not leave, found by pattern."""
    limited: bool
    """True when the run used up a limit of its own."""


def objections(reviewed: Reviewed) -> tuple[SentBack, ...]:
    """Everything that stands against the answer, the reviewer's and the code's."""
    said = reviewed.verdict.send_back if reviewed.verdict.verdict == "send_back" else ()
    key = base_key(reviewed.answer.key)
    if reviewed.verdict.verdict == "send_back" and not said:
        said = (SentBack(subtask=key, reason=reviewed.verdict.note or "The reviewer was not satisfied."),)
    return (*said, *(SentBack(subtask=key, reason=fault) for fault in reviewed.faults[:MOST_REASONS]))


def passed(run: Run, reviewed: Reviewed, accepted: Sequence[str] = ()) -> list[Change]:
    """The changes that end the run with its answer. `accepted`: faults that a person let stand."""
    status: RunStatus = "limit" if reviewed.limited else "done"
    outcome = Outcome(
        status=status,
        reason="a limit of the run was reached" if reviewed.limited else reviewed.verdict.note or "reviewed",
        answer_id=reviewed.answer.id,
        withheld=tuple(dict.fromkeys((*reviewed.verdict.withhold, *reviewed.withheld))),
        unsupported=tuple(accepted),
    )
    return [EndRun(run.id, outcome)]


def may_send_back(run: Run) -> bool:
    """True while a review round is left."""
    return run.reviews < MOST_REVIEWS


def sent_back(run: Run, graph: Graph, against: Sequence[SentBack]) -> list[Change]:
    """The changes that do the criticised subtasks again: successors, and copies of all that hangs on them."""
    version = run.version + 1
    current = graph.current()
    reasons: dict[str, list[str]] = {}
    for one in against:
        reasons.setdefault(_target(one, current), []).append(one.reason)
    again = {one.id: one for one in current.values()}
    affected = [again[id_] for id_ in graph.dependents(reasons) if id_ in again]
    affected.sort(key=lambda one: one.number)
    new_ids = {one.id: subtask_id(run.id, f"{base_key(one.key)}@{version}") for one in affected}
    copies = tuple(_successor(one, new_ids[one.id], version, reasons.get(one.id, ())) for one in affected)
    edges = tuple(
        Edge(from_id=new_ids.get(edge.from_id, edge.from_id), to_id=new_ids[edge.to_id], needs=edge.needs)
        for edge in graph.edges
        if edge.to_id in new_ids and edge.from_id in again
    )
    revise = RevisePlan(run.id, run.revision, version, run.replans, run.reviews + 1)
    return [revise, AddSubtasks(run.id, copies, edges)]


def _target(sent: SentBack, current: dict[str, Subtask]) -> str:
    """A child stands for its group; a name that is none stands for the answer."""
    key = base_key(sent.subtask).split("[", 1)[0]
    if key in current and current[key].spec.kind in {"specialist", "group", "composer"}:
        return current[key].id
    answering = {one.spec.kind: one.id for one in current.values() if one.spec.kind in {"composer", "planner"}}
    return answering.get("composer") or answering["planner"]


def _successor(old: Subtask, id_: str, version: int, reasons: Sequence[str]) -> NewSubtask:
    spec = old.spec.model_copy(update={"feedback": tuple(reasons)})
    key = id_.split("/", 1)[1]
    return NewSubtask(id=id_, run_id=old.run_id, key=key, version=version, spec=spec, priority=old.priority)


def question(against: Sequence[SentBack]) -> TicketDraft:
    """What a person is asked when the review rounds are used up."""
    listed = "\n".join(f"- {one.subtask}: {one.reason}" for one in against[:MOST_REASONS])
    asked = f"The answer was sent back {MOST_REVIEWS} times and still meets objections. What shall be done?"
    return _asking(asked, f"Objections that remain:\n{listed}")


def undecided(said: str) -> TicketDraft:
    """What a person is asked when the reviewer came to no verdict; `said` is what it said instead."""
    return _asking("The reviewer came to no verdict on the answer. What shall be done?", f"It said: {said}")


def _asking(asked: str, tried: str) -> TicketDraft:
    return TicketDraft(
        kind="exception",
        topic="review",
        question=asked,
        tried=tried,
        choices=(
            Choice(value="accept", label="Let the answer stand; the objections are noted in it"),
            Choice(value="again", label="Send it back once more"),
            Choice(value="stop", label="Stop the run without an answer"),
        ),
    )
