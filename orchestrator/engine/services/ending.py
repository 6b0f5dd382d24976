"""Ending: a subtask has its finding; read what the station of its kind needs, apply what it decides."""

from collections.abc import Sequence

from orchestrator.domain.changes import Change, EndRun, SaveStep, Spread, Wait
from orchestrator.domain.finding import Ending, Finding
from orchestrator.domain.graph import Graph
from orchestrator.domain.identity import new_id
from orchestrator.domain.plan import Plan
from orchestrator.domain.run import Outcome, Run, RunStatus
from orchestrator.domain.step import Step
from orchestrator.domain.subtask import Edge
from orchestrator.domain.ticket import TicketDraft
from orchestrator.domain.verdict import SentBack, Verdict
from orchestrator.engine import collecting, escalating, planning, reviewing, spreading, undoing
from orchestrator.engine.services.applying import Applier
from orchestrator.engine.services.checking import Checker
from orchestrator.engine.services.claims import Claim, last_step
from orchestrator.ports.clock import Clock
from orchestrator.ports.store import Store

_LIMITS = frozenset({Ending.RUN_LIMIT, Ending.TOKEN_LIMIT, Ending.MONEY_LIMIT})
_ASKABLE = frozenset({Ending.UNPARSABLE, Ending.STEP_LIMIT, Ending.NO_PROGRESS, Ending.TIME_LIMIT})
"""Ends of a planner that a person's word may mend."""


class Endings:
    """Ends subtasks."""

    def __init__(self, store: Store, applier: Applier, checker: Checker, clock: Clock) -> None:
        self._store = store
        self._applier = applier
        self._checker = checker
        self._clock = clock

    def end(self, claim: Claim, finding: Finding, step: Step | None = None) -> None:
        """End the claimed subtask. The last step, if given, is stored in the same transaction."""
        at = step.n if step else last_step(self._store, claim)
        saved: list[Change] = [SaveStep(claim.subtask.id, step)] if step else []
        self._applier.decide(lambda: [*saved, *self._follows(claim, finding, at)], claim.fence(at))

    def _follows(self, claim: Claim, finding: Finding, at: int) -> Sequence[Change]:
        run = self._store.run_of(claim.subtask.id)
        if finding.ending in _LIMITS and claim.subtask.spec.kind in {"planner", "composer", "reviewer"}:
            return [collecting.settled(claim.subtask, finding), _over(run, finding)]
        match claim.subtask.spec.kind:
            case "undo":
                return undoing.undone(run, claim.subtask, finding)
            case "planner" if claim.subtask.spec.around:
                return self._replanned(run, claim, finding, at)
            case "planner":
                return self._planned(run, claim, finding, at)
            case "reviewer":
                return self._reviewed(run, claim, finding, at)
            case _:
                return self._collected(run, claim, finding)

    def _collected(self, run: Run, claim: Claim, finding: Finding) -> Sequence[Change]:
        subtask = claim.subtask
        dependents = self._store.edges_from(subtask.id)
        if not collecting.wants_replan(run, subtask, finding):
            return collecting.collected(run, subtask, finding, dependents)
        graph = self._graph(run)
        around = collecting.Around(graph.the("composer"), graph.replanning() is not None)
        return collecting.failed(run, subtask, finding, dependents, around)

    def _planned(self, run: Run, claim: Claim, finding: Finding, at: int) -> Sequence[Change]:
        settle = collecting.settled(claim.subtask, finding)
        if not finding.usable or "plan" not in finding.data:
            if finding.ending in _ASKABLE:
                return self._asked(claim, escalating.bad_plan(finding), at)
            return [settle, _over(run, finding)]
        plan = Plan.model_validate(finding.data["plan"])
        if plan.ask is not None:
            return self._asked(claim, escalating.clarification(plan.ask), at)
        waiting = self._store.edges_from(claim.subtask.id)
        releases = [collecting.released(edge, usable=True) for edge in waiting]
        return [*planning.first(run, claim.subtask, plan), settle, *releases]

    def _replanned(self, run: Run, claim: Claim, finding: Finding, at: int) -> Sequence[Change]:
        given = finding.data.get("plan") if finding.usable else None
        plan = Plan.model_validate(given) if given else Plan(answer=finding.text or "No other way was found.")
        if plan.ask is not None:
            return self._asked(claim, escalating.clarification(plan.ask), at)
        graph = self._graph(run)
        held: list[Edge] = [edge for one in graph.failed() for edge in self._store.edges_from(one.id)]
        changes = planning.again(run, claim.subtask, plan, graph, held)
        return [*changes, collecting.settled(claim.subtask, finding)]

    def _reviewed(self, run: Run, claim: Claim, finding: Finding, at: int) -> Sequence[Change]:
        settle = collecting.settled(claim.subtask, finding)
        if finding.status == "skipped":
            return [settle, _over(run, finding)]
        if not finding.usable or "verdict" not in finding.data:
            return self._asked(claim, reviewing.undecided(finding.text), at)
        verdict = Verdict.model_validate(finding.data["verdict"])
        reviewed = self._seen(run, claim, verdict)
        against = reviewing.objections(reviewed)
        if not against:
            return [settle, *reviewing.passed(run, reviewed)]
        if reviewing.may_send_back(run):
            return [settle, *reviewing.sent_back(run, self._graph(run), against)]
        return self._asked(claim, reviewing.question(against), at)

    def decided(self, claim: Claim, choice: str) -> None:
        """End a review as a person decided: accept, again or stop."""

        def follows() -> Sequence[Change]:
            run = self._store.run_of(claim.subtask.id)
            reviewed = self._seen(run, claim, Verdict(verdict="pass", note="a person let the answer stand"))
            text = f"A person decided: {choice}."
            finding = Finding(status="done", ending=Ending.ANSWER, text=text, data={"decision": choice})
            settle = collecting.settled(claim.subtask, finding)
            against = reviewing.objections(reviewed)
            if choice == "accept":
                return [settle, *reviewing.passed(run, reviewed, tuple(one.reason for one in against))]
            if choice == "again":
                asked = SentBack(subtask="compose", reason="A person asked to write the answer once more.")
                return [settle, *reviewing.sent_back(run, self._graph(run), against or (asked,))]
            return [settle, EndRun(run.id, Outcome(status="failed", reason="a person stopped the run at the review"))]

        self._applier.decide(follows, claim.fence(claim.subtask.step))

    def _seen(self, run: Run, claim: Claim, verdict: Verdict) -> reviewing.Reviewed:
        answer = claim.before[0]
        check = self._checker.check(run, answer.finding)
        findings = self._store.findings([one.id for one in self._store.subtasks(run.id)])
        limited = any(one.ending in _LIMITS for one in findings.values())
        return reviewing.Reviewed(answer.subtask, verdict, check.faults, check.withheld, limited)

    def spread(self, claim: Claim, size: int) -> None:
        """Spread the claimed group over its items, `size` at a time, or join its children if it was spread before."""
        group = claim.subtask
        children = self._store.children(group.id, after=0, limit=spreading.MOST_ITEMS + 1)
        if any(step.kind == "notice" for step in claim.steps):
            findings = dict(self._store.findings([one.id for one in children]))
            self.end(claim, spreading.joined(group, children, findings))
            return
        source = next((b.finding for b in claim.before if group.spec.over and b.subtask.key == _over_key(claim)), None)
        try:
            all_items = spreading.items(group, source)
        except ValueError as error:
            self.end(claim, Finding(status="failed", ending=Ending.REFUSED, text=f"It could not be spread: {error}."))
            return
        for start in range(0, len(all_items), size):
            self._applier.apply([spreading.batch(group, all_items, start)], claim.fence(0))
        step = Step(n=1, kind="notice", text=f"Spread over {len(all_items)} items.")
        self._applier.apply([SaveStep(group.id, step), Spread(group.id)], claim.fence(1))

    def _asked(self, claim: Claim, draft: TicketDraft, at: int) -> list[Change]:
        asking = escalating.Asking(claim.subtask, at)
        return [*escalating.opened(draft, new_id("t", 6), asking, self._clock.now()), Wait(claim.subtask.id)]

    def ask(self, claim: Claim, draft: TicketDraft) -> None:
        """Put an engine's question to a person; the subtask waits as a row."""
        at = last_step(self._store, claim)
        self._applier.apply(self._asked(claim, draft, at), claim.fence(at))

    def _graph(self, run: Run) -> Graph:
        return Graph(self._store.subtasks(run.id), self._store.edges(run.id))


def _over(run: Run, finding: Finding) -> EndRun:
    status: RunStatus = "limit" if finding.ending in _LIMITS else "failed"
    return EndRun(run.id, Outcome(status=status, reason=finding.text or str(finding.ending)))


def _over_key(claim: Claim) -> str:
    """The key, in its version, of the predecessor that the group is mapped over."""
    over = claim.subtask.spec.over
    wanted = over.subtask if over else None
    keys = [b.subtask.key for b in claim.before if b.subtask.key.split("@", 1)[0] == wanted]
    return keys[-1] if keys else ""
