"""The ReAct loop: think, act, observe, until there is an answer, a question for a person, or a limit."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from contextvars import copy_context
from dataclasses import dataclass, replace
from time import monotonic

from agents.context import Context, shortening, to_shorten
from agents.errors import ContextOverflowError, ModelUnavailableError, SpentError
from agents.journal import Again, Attempt, Journal, Later
from agents.models.base import Message, Model, ModelReply, ModelRequest, ToolSpec
from agents.previews import Previews
from agents.progress import Progress
from agents.roles import Accepted, Judge
from agents.summarizing import asking, is_summary, summary, to_summarize
from agents.toolbox import Asked, Observed, Toolbox, Uncertain
from agents.transcript import (
    as_message,
    as_messages,
    closed,
    highest_ref,
    known_so_far,
    reply_step,
    result,
    trailing_mends,
    with_results,
)
from orchestrator.domain.finding import Ending
from orchestrator.domain.observation import observation_ref
from orchestrator.domain.step import Step, StepCall
from orchestrator.domain.ticket import TicketDraft
from orchestrator.ports.clock import Deadline
from orchestrator.ports.telemetry import Telemetry

MOST_MENDS = 2
"""How often in a row an answer that does not count is sent back to the agent."""
NOW_ANSWER = "{why} Answer now with what you know, without tools; say what is missing."
CUT_OFF = "Your reply was cut off at its longest; nothing of it was carried out. Say it again, shorter."
NOTHING_NEW = (
    "Nothing changed: this call gave the same result before. The next time you are stopped. "
    "Send other arguments{others}, or answer with what you know."
)
REACHED = {Ending.STEP_LIMIT: "The step limit is reached.", Ending.TIME_LIMIT: "The time limit is reached."}
"""How a finding begins that a limit of the agent itself cut short; those of its run are told by its model."""
NO_CALLS = "No tool can be used any more; your call was not carried out. Answer with what you know."


@dataclass(frozen=True, slots=True)
class Answered:
    """The agent's answer counts. `step` is not stored yet: it goes with the finding."""

    step: Step
    accepted: Accepted
    ending: Ending


@dataclass(frozen=True, slots=True)
class AskedPeople:
    """Calls of `step` ask a person. Nothing of it is stored yet."""

    step: Step
    done: tuple[Observed | Uncertain, ...]
    drafts: tuple[tuple[str, TicketDraft], ...]


@dataclass(frozen=True, slots=True)
class Yielded:
    """The turn is over, the subtask is not; `seconds`: not before so long."""

    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Stopped:
    """The agent was stopped; `said` is what is known, `step` (if any) is not stored yet."""

    ending: Ending
    said: str
    step: Step | None = None


End = Answered | AskedPeople | Yielded | Stopped


@dataclass(frozen=True, slots=True)
class Agent:
    """One agent at work on one subtask."""

    model: Model
    toolbox: Toolbox
    judge: Judge
    opening: tuple[Message, ...]
    number: int
    """The subtask's number, for `E<number>.<n>`."""
    most_steps: int
    seconds: float
    """Working time of the whole subtask."""
    worked: float
    """Seconds worked in earlier turns."""
    context: int = 100_000
    """Tokens that may be sent at once; older results are shortened before they are exceeded."""
    most_output: int = 2048
    """Tokens that a reply may have."""


class Loop:
    """Works on a subtask from its last stored step on."""

    def __init__(
        self, agent: Agent, steps: Sequence[Step], journal: Journal, telemetry: Telemetry, executor: Executor
    ) -> None:
        self._agent = agent
        self._steps = list(closed(steps))
        self._open = steps[-1] if len(self._steps) < len(steps) else None
        self._journal = journal
        self._telemetry = telemetry
        self._executor = executor
        self._started = monotonic()
        self._messages: list[Message] = [*agent.opening, *as_messages(self._steps)]
        self._context = Context(agent.context)
        self._progress = Progress(self._steps)
        self._previews = Previews(self._steps)
        self._highest = max((highest_ref(step) for step in steps), default=0)

    def run(self) -> End:
        """Go on until the subtask ends, waits or yields. Raises ModelUnavailableError, ModelRefusedError."""
        if self._open:
            end = self._recover(self._open, monotonic() - self._open.seconds)
            if end:
                return end
        while True:
            if self._journal.must_yield() or self._journal.lost():
                return Yielded()
            limit = self._limit()
            if limit:
                self._tell_last(limit)
            end = self._round(limit)
            if end:
                return end

    def _round(self, limit: Ending | None) -> End | None:
        """Think and act once; where a budget allows no further round with tools, answer from what is known."""
        started = monotonic()
        try:
            reply = self._think(with_tools=limit is None)
        except SpentError as error:
            if limit or not error.final or not self._agent.toolbox.specs():
                raise
            self._tell_last(error.ending, error.what)
            return _because(error.what, self._act(self._think(with_tools=False), error.ending, started))
        return _told(self._act(reply, limit, started))

    def _limit(self) -> Ending | None:
        """The limit of the agent itself that is reached before a call; those of its run are kept by its model."""
        if self._agent.worked + monotonic() - self._started >= self._agent.seconds:
            return Ending.TIME_LIMIT
        replies = sum(1 for step in self._steps if step.kind == "reply" and not step.summarizes_to)
        return Ending.STEP_LIMIT if replies >= self._agent.most_steps - 1 else None

    def _tell_last(self, limit: Ending, why: str = "") -> None:
        if self._steps and any(step.last_call for step in self._steps):
            return
        if limit is Ending.STEP_LIMIT and not self._agent.toolbox.specs():
            return
        why = why or ("Your time is up." if limit is Ending.TIME_LIMIT else "This is your last step.")
        self._save(Step(n=self._next(), kind="notice", text=NOW_ANSWER.format(why=why), last_call=True))

    def _think(self, *, with_tools: bool) -> ModelReply:
        tools = self._agent.toolbox.specs() if with_tools else ()
        while not self._context.asking(self._messages, tools) and self._make_room():
            pass
        while True:
            try:
                reply = self._ask(self._messages, tools)
            except ContextOverflowError:
                if not self._make_room():
                    raise
                self._context.asking(self._messages, tools)
            else:
                self._context.counted(0 if reply.usage.estimated else reply.usage.input_tokens)
                return reply

    def _make_room(self) -> bool:
        """Show old results as their first lines from here on, then old steps as a summary; False: no room is left."""
        upto = to_shorten(self._steps)
        if upto is not None:
            self._save(shortening(self._next(), upto))
        elif not self._summarize():
            return False
        self._messages = [*self._agent.opening, *as_messages(self._steps)]
        self._context.rebuilt()
        return True

    def _summarize(self) -> bool:
        """Have the agent sum up its old steps; False when there are too few of them, or no summary came."""
        upto, started = to_summarize(self._steps), monotonic()
        if upto is None:
            return False
        reply = self._ask(asking(self._agent.opening, self._steps, upto), ())
        if not is_summary(reply):
            return False
        self._save(summary(self._next(), reply, upto, monotonic() - started))
        return True

    def _ask(self, messages: Sequence[Message], tools: tuple[ToolSpec, ...]) -> ModelReply:
        left = self._agent.seconds - self._agent.worked - (monotonic() - self._started)
        request = ModelRequest(
            tuple(messages), tools, self._next(), Deadline.after(max(left, 60.0), self._journal.lost)
        )
        attributes = {"gen_ai.operation.name": "chat", "gen_ai.request.model": self._agent.model.name}
        with self._telemetry.span(f"chat {self._agent.model.name}", attributes) as span:
            try:
                reply = self._agent.model.complete(request)
            except ModelUnavailableError as error:
                span.failed(str(error))
                raise
            span.set({"gen_ai.usage.input_tokens": reply.usage.input_tokens})
            span.set({"gen_ai.usage.output_tokens": reply.usage.output_tokens})
        return reply

    def _act(self, reply: ModelReply, limit: Ending | None, started: float) -> End | None:
        step = reply_step(self._next(), reply, monotonic() - started)
        if reply.finish == "length":
            return self._mend(step.model_copy(update={"calls": (), "text": ""}), (CUT_OFF,), limit)
        if reply.faults:
            return self._mend(step, reply.faults, limit)
        if step.calls and limit is None:
            return self._call(step, started)
        if step.calls:  # some servers hand out calls although none were offered
            step = step.model_copy(update={"calls": ()})
            if not step.text.strip():
                return self._mend(step, (NO_CALLS,), limit)
        verdict = self._agent.judge(step.text, trailing_mends(self._steps))
        if isinstance(verdict, Accepted):
            return Answered(step, verdict, self._ending(limit))
        return self._mend(step, verdict.reasons, limit)

    def _ending(self, limit: Ending | None) -> Ending:
        """An agent without tools that answers in its only step was not cut short."""
        if limit is None or (limit is Ending.STEP_LIMIT and not any(step.last_call for step in self._steps)):
            return Ending.ANSWER
        return limit

    def _mend(self, step: Step, reasons: Sequence[str], limit: Ending | None) -> End | None:
        """An answer that does not count goes back with the reasons, twice in a row at most."""
        if trailing_mends(self._steps) >= MOST_MENDS:
            if limit:
                return Stopped(limit, step.text.strip() or known_so_far(self._steps), step)
            return Stopped(Ending.UNPARSABLE, " ".join(reasons), step)
        self._save(step)
        listed = "\n".join(f"- {reason}" for reason in reasons)
        self._save(Step(n=self._next(), kind="notice", text=f"That does not count as your answer yet:\n{listed}"))
        return None

    def _call(self, step: Step, started: float) -> End | None:
        """Carry out the calls of a reply: side by side when all only read, else one after another."""
        reads = all(self._agent.toolbox.effect(call) in {"read", None} for call in step.calls)
        known = self._side_by_side(step) if reads and len(step.calls) > 1 else {}
        return self._in_order(step, known, started)

    def _side_by_side(self, step: Step) -> dict[str, Observed | Asked | Uncertain]:
        runs = {
            call.id: self._executor.submit(copy_context().run, self._run, step.n, call, ref)
            for call, ref in self._numbered(step)
        }
        return {call_id: run.result() for call_id, run in runs.items()}

    def _in_order(self, step: Step, known: Mapping[str, Observed | Asked | Uncertain], started: float) -> End | None:
        """Answer the open calls one after another: what is `known` is taken, the others are carried out.

        What was done so far is stored before the next effect begins.
        """
        done: list[Observed | Uncertain] = []
        drafts: list[tuple[str, TicketDraft]] = []
        for call, ref in self._numbered(step):
            one = known.get(call.id)
            if one is None and self._acts(step, call):
                attempt = self._journal.intend(with_results(step, (), monotonic() - started), call, done)
                done = []
                one = self._run(step.n, call, ref, attempt)
            one = one or self._run(step.n, call, ref)
            if isinstance(one, Asked):
                drafts.append((one.call_id, one.draft))
                continue
            done.append(one)
            if isinstance(one, Observed):
                step = with_results(step, (result(one, self._hint(step, one)),), 0.0)
        step = with_results(step, (), monotonic() - started)
        return AskedPeople(step, tuple(done), tuple(drafts)) if drafts else self._observe(step, done, started)

    def _observe(self, step: Step, done: Sequence[Observed | Uncertain], started: float) -> End | None:
        if step.open_calls():
            self._journal.save(step, done)
            return self._recover(step, started)
        self._save(step, done)
        stuck = self._progress.stuck(step)
        return Stopped(Ending.NO_PROGRESS, f"No progress. {stuck} {known_so_far(self._steps)}") if stuck else None

    def _acts(self, step: Step, call: StepCall) -> bool:
        """True when the call has an effect now; one that is only shown first has none."""
        toolbox = self._agent.toolbox
        shown = toolbox.shows_first(call) and call.id not in self._previews.seen(step)
        return toolbox.intention(call) is not None and not shown

    def _run(self, n: int, call: StepCall, ref: str, attempt: Attempt | None = None) -> Observed | Asked | Uncertain:
        """Run one call; without an attempt it has no effect: it reads, it is shown first, or it is refused."""
        toolbox, key = self._agent.toolbox, self._journal.key(n, call.id)
        with self._telemetry.span(f"execute_tool {call.tool}", {"gen_ai.tool.name": call.tool}) as span:
            if attempt:
                done = toolbox.run(call, ref, attempt.deadline, key, attempt.begin)
                if attempt.repeats and isinstance(done, Observed) and not done.begun:
                    done = Uncertain(call.id, done.summary)
            else:
                show = toolbox.preview if toolbox.shows_first(call) else toolbox.run
                done = show(
                    call, ref, Deadline.after(toolbox.seconds(call), self._journal.lost), key, self._journal.begin
                )
            if isinstance(done, Observed):
                span.set({"remit.observation": ref, "remit.ok": done.ok})
            elif isinstance(done, Uncertain):
                span.failed(done.why)
            return done

    def _recover(self, step: Step, started: float) -> End | None:
        """Complete a step that waited for a person, or of whose calls nobody stored how they ended."""
        found = {call.id: self._journal.recover(step, call, ref) for call, ref in self._numbered(step)}
        waits = [what.seconds for what in found.values() if isinstance(what, Later)]
        if waits:
            return Yielded(max(waits))
        known = {call_id: what for call_id, what in found.items() if not isinstance(what, Again | Later)}
        return self._in_order(step, known, started)

    def _hint(self, step: Step, one: Observed) -> str:
        """What is added to a result that the same call gave before."""
        single = step.model_copy(update={"results": (result(one, ""),)})
        if not self._progress.repeats(single):
            return ""
        names = [spec.name for spec in self._agent.toolbox.specs() if spec.name != one.tool]
        return NOTHING_NEW.format(others=f", use another tool ({', '.join(names)})" if names else "")

    def _numbered(self, step: Step) -> list[tuple[StepCall, str]]:
        """The open calls, each with the number of the observation that it will make."""
        first = max(self._highest, highest_ref(step)) + 1
        return [(call, observation_ref(self._agent.number, n)) for n, call in enumerate(step.open_calls(), first)]

    def _next(self) -> int:
        return self._steps[-1].n + 1 if self._steps else 1

    def _save(self, step: Step, done: Sequence[Observed | Uncertain] = ()) -> None:
        self._journal.save(step, done)
        self._steps.append(step)
        self._messages += as_message(step)
        self._highest = max(self._highest, highest_ref(step))
        self._progress.note(step)
        self._previews.note(step)


def _told(end: End | None) -> End | None:
    """An end at a limit of the agent itself says so: whoever reads only the text has to know it, too."""
    why = REACHED.get(end.ending) if isinstance(end, Answered | Stopped) else None
    return _because(why, end) if why else end


def _because(why: str, end: End | None) -> End | None:
    """An end that says which limit it came to, where it has something to say."""
    match end:
        case Answered(step, accepted, ending):
            return Answered(step, replace(accepted, text=f"{why} {accepted.text}"), ending)
        case Stopped(ending, said, step):
            return Stopped(ending, f"{why} {said}", step)
        case _:
            return end
