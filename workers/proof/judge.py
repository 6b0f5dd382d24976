"""The judge: looks for broken promises after a round: answers, effects, budgets, rows, audit, traces."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from orchestrator.adapters.otel.record import SpanRecord
from orchestrator.adapters.sql.audit_changes import digest
from orchestrator.domain.counting import counted
from orchestrator.domain.finding import Finding
from orchestrator.domain.run import Run
from orchestrator.domain.subtask import FINAL, Status, Subtask
from orchestrator.errors import RemitError
from workers.chaos.ledger import Deed
from workers.proof.leavings import leavings
from workers.proof.stage import Stage
from workers.proof.traces import broken_trace, spans_in, without_root
from workers.proof.undone import not_undone

DIFFERS = frozenset({"run", "tickets", "usage"})
"""What a result says of the run itself, which is another one each time."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What undisturbed runs came to."""

    data: Mapping[str, Any]
    files: Mapping[str, bytes]
    """The report and what tools made; `result.json` holds ids and is compared as data."""
    deeds: frozenset[tuple[str, int]]
    """What the outer system has to have done for each run: which tool, for which number."""


def outcome_of(stage: Stage, run_id: str) -> tuple[Mapping[str, Any], Mapping[str, bytes]]:
    """What the result of a run says, without what differs from run to run by its nature."""
    result = stage.opened.results.result(stage.scope, run_id)
    data = {name: value for name, value in result.data.items() if name not in DIFFERS}
    return data, {name: content for name, content in result.files.items() if name != "result.json"}


def deeds_of(stage: Stage, run_id: str) -> Sequence[Deed]:
    """What the outer system was asked to do for a run."""
    return [one for one in stage.ledger.deeds() if one.run == run_id]


def broken_promises(
    stage: Stage, run_ids: Sequence[str], expected: Expected, called_off: Collection[str] = ()
) -> Sequence[str]:
    """One line for each promise that was not kept; none: everything held. `called_off`: those of the runs that somebody
    wanted to cancel, which may have come too late."""
    runs = [stage.opened.store.run(stage.scope, one) for one in run_ids]
    spans = spans_in(stage.settings.home / "traces")
    found = [
        f"run {run.id}: {line}"
        for run in runs
        for line in _of_run(stage, run, expected, spans, may_be_cancelled=run.id in called_off)
    ]
    if all(run.status != "running" for run in runs):
        found += [*_month(stage, runs), *leavings(stage)]
    strangers = {one.run for one in stage.ledger.deeds()} - set(run_ids)
    return [*found, *(f"the ledger knows a run that nobody handed in: {one}" for one in sorted(strangers))]


def without_root_span(stage: Stage, run_ids: Sequence[str]) -> bool:
    """True while the root span of one of the runs is not written."""
    runs = [stage.opened.store.run(stage.scope, one) for one in run_ids]
    return bool(without_root(spans_in(stage.settings.home / "traces"), runs))


def _of_run(
    stage: Stage, run: Run, expected: Expected, spans: Sequence[SpanRecord], *, may_be_cancelled: bool
) -> Sequence[str]:
    kept = [*_rows(stage, run.id), *_audit(stage, run.id), *broken_trace(spans, run)]
    if run.status == "cancelled" and may_be_cancelled:
        reason = run.outcome.reason if run.outcome else ""
        effects = stage.opened.store.effects(run.id)
        return [*not_undone(deeds_of(stage, run.id), effects, reason, stage.ledger.happened), *kept]
    if run.status != "done":
        return [f"it is {run.status}: {run.outcome.reason if run.outcome else 'it goes on'}"]
    return [*_answer(stage, run.id, expected), *_effects(stage, run.id, expected), *kept]


def _answer(stage: Stage, run_id: str, expected: Expected) -> Sequence[str]:
    try:
        data, files = outcome_of(stage, run_id)
    except RemitError as error:
        return [f"its result cannot be read: {error}"]
    if (data, files) == (expected.data, expected.files):
        return ()
    return [f"another answer than undisturbed: {dict(data)!r} {dict(files)!r}"]


def _effects(stage: Stage, run_id: str, expected: Expected) -> Sequence[str]:
    done = {(one.tool, one.number): one.done for one in deeds_of(stage, run_id)}
    found = [
        f"{tool} {number} was done {counted(count, 'time')}"
        for (tool, number), count in sorted(done.items())
        if count != 1 or (tool, number) not in expected.deeds
    ]
    return [*found, *(f"{tool} {number} was never done" for tool, number in sorted(expected.deeds - set(done)))]


def _month(stage: Stage, runs: Sequence[Run]) -> Sequence[str]:
    """What the runs used is counted in their team's month, and nothing is left set aside, neither there nor below."""
    store = stage.opened.store
    used = sum(one.input_tokens + one.output_tokens for run in runs for one in store.usage(run.id))
    months = {f"team:{run.tenant}/{run.rules.team}/{run.created_at:%Y-%m}" for run in runs}
    counted = [one for month in sorted(months) for one in store.standing(month)]
    below = [one for run in runs for owner in (run, *store.subtasks(run.id)) for one in store.standing(owner.id)]
    found = [f"{one.reserved} {one.kind} are still set aside in {one.id}" for one in counted if one.reserved]
    found += [f"the account of {one.id} was never closed" for one in below]
    spent = sum(one.spent for one in counted)
    return [*found, f"{used} tokens were used and {spent} counted"] if spent < used else found


def _rows(stage: Stage, run_id: str) -> Sequence[str]:
    store = stage.opened.store
    subtasks = store.subtasks(run_id)
    findings = store.findings([one.id for one in subtasks])
    found = [f"{one.key} is still {one.status}" for one in subtasks if one.status not in FINAL]
    found += [f"{one.key} is {one.status} without a finding" for one in subtasks if _found_nothing(one, findings)]
    found += [f"ticket {one.id} is still open" for one in store.tickets(stage.scope, run_id=run_id, status="open")]
    for subtask in subtasks:
        if subtask.status == "cancelled":
            continue  # it stopped where it was; what became of its calls is told with the undoing
        for step in store.steps(subtask.id):
            if step.open_calls():
                found.append(f"step {step.n} of {subtask.key} has calls without a result")
            found += [
                f"nobody stored how {one.tool} of {subtask.key}, step {step.n}, ended"
                for one in store.intents(subtask.id, step.n)
                if one.status == "intended"
            ]
    return found


def _found_nothing(subtask: Subtask, findings: Mapping[str, Finding]) -> bool:
    return subtask.status in {Status.DONE, Status.PARTIAL, Status.FAILED} and subtask.id not in findings


def _audit(stage: Stage, run_id: str) -> Sequence[str]:
    before = ""
    for n, one in enumerate(stage.opened.store.audit(run_id), start=1):
        right = digest(before, n=one.n, at=one.at, actor=one.actor, action=one.action, detail=one.detail)
        if one.n != n or one.digest != right:
            return [f"the audit chain breaks at entry {n}"]
        before = one.digest
    return ()
