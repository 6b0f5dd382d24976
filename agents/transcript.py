"""The transcript: steps as messages, replies as steps; the same steps always give the same prompt."""

from collections.abc import Sequence
from hashlib import sha256

from agents.context import shortened_to, summarized_to
from agents.fences import encoded, fenced, parse_shown
from agents.models.base import Call, Message, ModelReply
from agents.toolbox import Observed
from orchestrator.domain.step import Step, StepCall, StepResult, StepUsage

CUT_OFF_MARK = "(reply cut off)"
SUMMARIZED = "What you did before, as you summarized it yourself when your context was full:\n\n{text}"


def as_messages(steps: Sequence[Step], *, short: bool = False) -> list[Message]:
    """What a model reads of all steps, old results shortened (`short`: all), old steps summarized where a step says so.

    The summary stands where the steps were that it stands in for.
    """
    upto, gone = shortened_to(steps), summarized_to(steps)
    summaries = [step for step in steps if step.summarizes_to]
    shown = [step for step in steps if step.n > gone and not step.summarizes_to]
    return [
        *(Message("user", SUMMARIZED.format(text=step.text)) for step in summaries[-1:]),
        *(message for step in shown for message in as_message(step, short=short or step.n <= upto)),
    ]


def as_message(step: Step, *, short: bool = False) -> tuple[Message, ...]:
    """What a model reads of a step. An open call is not shown: a call and its result never part."""
    if step.kind == "notice":
        return (Message("user", step.text),)
    closed = {one.call_id for one in step.results}
    calls = tuple(Call(c.id, c.tool, c.arguments, c.malformed, c.notes) for c in step.calls if c.id in closed)
    if not calls:
        said = step.text or CUT_OFF_MARK
        return (Message("assistant", said, opaque=step.opaque, model=step.usage.model),)
    results = {one.call_id: _summary(one) if short else one.shown for one in step.results}
    thought = "" if step.thought == step.text else step.thought
    return (
        Message("assistant", step.text, calls, thought=thought, opaque=step.opaque, model=step.usage.model),
        *(Message("tool", results[call.id], call_id=call.id) for call in calls),
    )


def _summary(one: StepResult) -> str:
    """A result in one line; the whole stays in the store under its number."""
    shown = parse_shown(one.shown)
    more = "shortened; it is stored whole under its number"
    kept = {"ref": one.ref, "ok": one.ok, "summary": shown["summary"], "more": more}
    short = fenced("observation", {"ref": one.ref or ""}, encoded(kept))
    return short if len(short) < len(one.shown) else one.shown


def reply_step(n: int, reply: ModelReply, seconds: float) -> Step:
    """A reply as a step whose calls are still open."""
    usage = reply.usage
    return Step(
        n=n,
        # What a native reply says beside its calls is the thought that it was asked for.
        thought=reply.thought or (reply.text if reply.calls else ""),
        text=reply.text,
        calls=tuple(
            StepCall(id=call.id, tool=call.tool, arguments=call.arguments, malformed=call.malformed, notes=call.notes)
            for call in reply.calls
        ),
        usage=StepUsage(
            model=usage.model, input_tokens=usage.input_tokens, output_tokens=usage.output_tokens, cost=usage.cost
        ),
        opaque=reply.opaque,
        seconds=seconds,
    )


def result(observed: Observed, hint: str) -> StepResult:
    """What came back, as it is stored with the step; `hint` is added to what the agent reads."""
    shown = f"{observed.shown}\n{hint}" if hint else observed.shown
    digest = sha256(observed.content.encode()).hexdigest()[:32]
    return StepResult(
        call_id=observed.call_id,
        ok=observed.ok,
        shown=shown,
        ref=observed.ref,
        digest=digest,
        preview=observed.preview,
    )


def with_results(step: Step, results: Sequence[StepResult], seconds: float) -> Step:
    """The step with more of its calls answered, in the order of the calls."""
    order = {call.id: position for position, call in enumerate(step.calls)}
    merged = sorted((*step.results, *results), key=lambda one: order[one.call_id])
    return step.model_copy(update={"results": tuple(merged), "seconds": seconds})


def closed(steps: Sequence[Step]) -> Sequence[Step]:
    """The steps without a last one that still has open calls."""
    return steps[:-1] if steps and steps[-1].open_calls() else steps


def trailing_mends(steps: Sequence[Step]) -> int:
    """How many answers in a row were sent back by rule, up to the end."""
    count = 0
    for step in reversed(steps):
        if step.kind == "notice":
            if step.by_person:
                break
            count += 0 if step.last_call or step.shortens_to else 1
        elif step.calls:
            break
    return count


def known_so_far(steps: Sequence[Step]) -> str:
    """What an agent that was stopped knew, told by code: its observations' first lines."""
    lines = [parse_shown(one.shown)["summary"][:300] for step in steps for one in step.results if one.ok]
    if not lines:
        return "Nothing was observed before the agent was stopped."
    return "Observed before the agent was stopped:\n" + "\n".join(f"- {line}" for line in lines[-10:])


def highest_ref(step: Step) -> int:
    """The highest `n` of the step's observations `E<subtask>.<n>`; 0 without any."""
    return max((int(one.ref.rsplit(".", 1)[1]) for one in step.results if one.ref), default=0)
