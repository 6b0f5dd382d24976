"""Roles: when a reply counts as the answer of a planner, specialist, composer or reviewer, and what it then says."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import ValidationError

from agents.documents import DocumentError, the_object
from agents.final_check import unsupported
from agents.output_schema import misfits, plan_faults
from orchestrator.domain.answers import Answer
from orchestrator.domain.finding import Ending, Finding, FindingStatus
from orchestrator.domain.plan import Plan, PlannedSubtask, faults
from orchestrator.domain.record import Record
from orchestrator.domain.verdict import Composed, Verdict


@dataclass(frozen=True, slots=True)
class Accepted:
    """An answer that counts; the finding is made of it."""

    text: str
    status: FindingStatus = "done"
    """What the agent itself says of its work."""
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])
    evidence: tuple[str, ...] = ()
    result: str | None = None
    artifacts: tuple[str, ...] = ()

    def finding(self, ending: Ending) -> Finding:
        """The finding: whole when the agent ended by itself, partial when a limit made it end."""
        return Finding(
            status="partial" if ending is not Ending.ANSWER and self.status == "done" else self.status,
            ending=ending,
            text=self.text,
            data=dict(self.data),
            evidence=self.evidence,
            result=self.result,
            artifacts=self.artifacts,
        )


@dataclass(frozen=True, slots=True)
class Rejected:
    """An answer that doesn't count, and why, in sentences for the agent."""

    reasons: tuple[str, ...]


Judge = Callable[[str, int], Accepted | Rejected]
"""Decides whether a reply without calls is the answer; told how often in a row the agent was sent back already."""


@dataclass(frozen=True, slots=True)
class Planning:
    """What a plan is held against."""

    agents: frozenset[str]
    inputs: frozenset[str]
    earlier: Mapping[str, bool]
    """Keys of earlier versions, see `orchestrator.domain.plan.faults`."""
    call_fault: Callable[[PlannedSubtask], str | None] = lambda _: None
    """Why the call that a subtask fixes cannot be made; asked of subtasks of known agents."""


@dataclass(frozen=True, slots=True)
class Known:
    """What answers may refer to: the run's observations and the files in them."""

    refs: Callable[[], frozenset[str]]
    artifacts: Callable[[], frozenset[str]]
    contents: Callable[[], Mapping[str, object]]
    """What this subtask observed and what the findings before it rest on, by number."""
    given: str = ""
    """What the agent was told: figures in it need no source."""


def planner(planning: Planning) -> Judge:
    """A plan counts when it can be carried out."""

    def judge(text: str, mends: int) -> Accepted | Rejected:
        del mends
        plan = _document(text, Plan)
        if isinstance(plan, Rejected):
            return plan
        reasons = faults(plan, planning.agents, planning.inputs, planning.earlier)
        known = [one for one in plan.subtasks if one.agent in planning.agents]
        reasons += [fault for one in known if (fault := planning.call_fault(one))]
        reasons += plan_faults(plan)
        if reasons:
            return Rejected(tuple(reasons))
        said = plan.answer or plan.note or ", ".join(one.title for one in plan.subtasks)
        return Accepted(said, data={"plan": plan.model_dump(mode="json")})

    return judge


def specialist(
    known: Known, *, must_look: Callable[[], bool] = lambda: False, output: Mapping[str, Any] | None = None
) -> Judge:
    """An answer counts when what it rests on exists and its data fits `output`; else plain prose counts as a summary.

    Sent back once: figures that stand nowhere, and (`must_look`) an answer of an agent that had to look but did not.
    """

    def judge(text: str, mends: int) -> Accepted | Rejected:
        answer = _specialists(text, known)
        if isinstance(answer, Rejected):
            return answer
        if not mends and must_look() and answer.status == "done":
            return Rejected(("You are to find out with your tools, and you called none. Look first, then answer.",))
        reasons = _unfit(answer, output)
        if not mends:
            reasons += unsupported(answer.text, answer.data, known.contents(), known.given)
        return Rejected(reasons) if reasons else answer

    return judge


def _unfit(answer: Accepted, output: Mapping[str, Any] | None) -> tuple[str, ...]:
    """What of the data does not fit; an agent that says that it failed need not have any."""
    if output is None or answer.status == "failed":
        return ()
    return tuple(misfits(answer.data, output))


def _specialists(text: str, known: Known) -> Accepted | Rejected:
    try:
        given = the_object(text)
    except DocumentError:
        return Accepted(text.strip()) if text.strip() else Rejected(("The reply is empty. Give your answer.",))
    if "summary" not in given:
        return Accepted(text.strip(), data=given)
    answer = _validated(given, Answer)
    if isinstance(answer, Rejected):
        return answer
    missing = _missing(known, (*answer.evidence, *_given(answer.result)), answer.artifacts)
    if missing:
        return missing
    return Accepted(answer.summary, answer.status, answer.data, answer.evidence, answer.result, answer.artifacts)


def composer(known: Known) -> Judge:
    """A composed answer counts when the result and the files that it names exist."""

    def judge(text: str, mends: int) -> Accepted | Rejected:
        del mends
        composed = _document(text, Composed)
        if isinstance(composed, Rejected):
            return composed
        missing = _missing(known, _given(composed.result), composed.artifacts)
        if missing:
            return missing
        status: FindingStatus = "failed" if composed.failed else "done"
        return Accepted(composed.answer, status, {}, (), composed.result, composed.artifacts)

    return judge


def reviewer() -> Judge:
    """A verdict counts when it is one."""

    def judge(text: str, mends: int) -> Accepted | Rejected:
        del mends
        verdict = _document(text, Verdict)
        if isinstance(verdict, Rejected):
            return verdict
        return Accepted(verdict.note or verdict.verdict, data={"verdict": verdict.model_dump(mode="json")})

    return judge


T = TypeVar("T", bound=Record)


def _given(ref: str | None) -> tuple[str, ...]:
    return (ref,) if ref else ()


def _missing(known: Known, refs: tuple[str, ...], artifacts: tuple[str, ...]) -> Rejected | None:
    if not refs and not artifacts:
        return None
    reasons = [f"There is no observation `{ref}` in this run." for ref in refs if ref not in known.refs()]
    reasons += [f"There is no file `{name}` in this run." for name in artifacts if name not in known.artifacts()]
    return Rejected(tuple(reasons)) if reasons else None


def _document(text: str, kind: type[T]) -> T | Rejected:
    try:
        given = the_object(text)
    except DocumentError as error:
        return Rejected((f"Your answer must be one JSON object as described: {error}.",))
    return _validated(given, kind)


def _validated(given: Mapping[str, Any], kind: type[T]) -> T | Rejected:
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        return Rejected(tuple(_sentence(one) for one in error.errors(include_url=False)[:10]))


def _sentence(error: Any) -> str:
    where = ".".join(str(part) for part in error["loc"]) or "the answer"
    return f"`{where}`: {str(error['msg']).removeprefix('Value error, ')}."
