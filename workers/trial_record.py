"""Records a trial: reads from the store what a run did, what it answered and what it used."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from decimal import Decimal

from agents.evals.trial import MadeCall, Trial, TrialState
from orchestrator.domain.finding import Finding
from orchestrator.domain.identity import Scope
from orchestrator.domain.step import Effect, ModelUsage
from orchestrator.engine.services.checking import Checker
from orchestrator.engine.services.reading import Progress, Reader, Work
from orchestrator.engine.services.results import Results
from orchestrator.ports.store import Store


class Recorder:
    """Reads runs as trials."""

    def __init__(self, scope: Scope, reader: Reader, results: Results, store: Store, checker: Checker) -> None:
        self._scope = scope
        self._reader = reader
        self._results = results
        self._store = store
        self._checker = checker

    def trial(self, run_id: str, state: TrialState) -> Trial:
        """All that a run left."""
        now = self._reader.progress(self._scope, run_id)
        work = self._reader.work(self._scope, run_id)
        result = self._results.result(self._scope, run_id)
        ended = now.run.finished_at or datetime.now(UTC)
        return Trial(
            state=state,
            reason=result.reason,
            run=run_id,
            answer=result.report,
            documents=(result.data, *(one.finding.data for one in work if one.finding and one.finding.data)),
            calls=tuple(call for _, call in sorted(self._calls(work), key=lambda placed: placed[0])),
            tickets=tuple(now.tickets),
            unsupported=self._unsupported(now, work),
            models=tuple(one.model for one in now.usage),
            tokens=sum(one.input_tokens + one.output_tokens for one in now.usage),
            steps=sum(step.kind == "reply" for one in work for step in one.steps),
            worked=sum(one.subtask.worked_seconds for one in work),
            seconds=max(0.0, (ended - now.run.created_at).total_seconds()),
            cost=_cost(now.usage),
        )

    def _calls(self, work: Sequence[Work]) -> Iterator[tuple[tuple[datetime, int, int, int], MadeCall]]:
        """The calls with their places in time: steps have none of their own, subtasks say when they began."""
        for one in work:
            began = one.subtask.started_at or datetime.max.replace(tzinfo=UTC)
            for step in one.steps:
                effects: dict[str, Effect] = {
                    intent.call_id: intent.effect for intent in self._store.intents(one.subtask.id, step.n)
                }
                ends = {result.call_id: result.ok for result in step.results}
                for position, call in enumerate(step.calls):
                    made = MadeCall(
                        agent=one.subtask.spec.agent,
                        tool=call.tool,
                        arguments=call.arguments,
                        ok=ends.get(call.id),
                        effect=effects.get(call.id, "read"),
                    )
                    yield (began, one.subtask.number, step.n, position), made

    def _unsupported(self, now: Progress, work: Sequence[Work]) -> tuple[str, ...]:
        answer = _answer(now, work)
        return () if answer is None else self._checker.check(now.run, answer).faults


def _answer(now: Progress, work: Sequence[Work]) -> Finding | None:
    """The finding that is the answer; of a run that has none yet, what was composed last."""
    if now.run.outcome and now.run.outcome.answer_id:
        return next((one.finding for one in work if one.subtask.id == now.run.outcome.answer_id), None)
    composed = [one.finding for one in work if one.subtask.spec.kind == "composer" and one.finding]
    return next((one for one in reversed(composed) if one.text.strip()), None)


def _cost(usage: Sequence[ModelUsage]) -> Decimal | None:
    costs = [Decimal(one.cost) for one in usage if one.cost is not None]
    return sum(costs, Decimal(0)) if len(costs) == len(usage) else None
