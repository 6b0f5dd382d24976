"""The ReAct loop: think, act, observe, until there is an answer, a question for a person, or a limit."""

from collections.abc import Sequence
from concurrent.futures import Executor
from contextvars import copy_context
from dataclasses import dataclass
from time import monotonic
from typing import Protocol

from agents.errors import ModelUnavailableError
from agents.models.base import Message, Model, ModelReply, ModelRequest
from agents.progress import Progress
from agents.roles import Accepted, Judge
from agents.toolbox import Asked, Observed, Toolbox
from agents.transcript import as_message, closed, highest_ref, known, reply_step, result, trailing_mends, with_results
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
NOTHING_NEW = "Nothing changed: this call gave the same result before. Try another tool or other arguments, or answer."


class Journal(Protocol):
    """What the loop writes down and asks; every write raises FencedError when the claim is lost."""

    def save(self, step: Step, observed: Sequence[Observed]) -> None:
        """Store a step that is complete."""
        ...

    def intend(self, step: Step, calls: Sequence[StepCall]) -> None:
        """Store a reply whose `calls` have an effect, before they start."""
        ...

    def recover(self, step: Step, call: StepCall, ref: str) -> "Observed | Asked | Again | Later":
        """What became of a call that was left open: a person's answer, or what recovery says of an interrupted call."""
        ...

    def key(self, step: int, call_id: str) -> str:
        """The call's idempotency key."""
        ...

    def spent(self, used: int) -> Ending | None:
        """The limit that `used` tokens of this turn and all that went before have reached."""
        ...

    def must_yield(self) -> bool:
        """True when this turn has lasted long enough, or the worker is to stop."""
        ...


@dataclass(frozen=True, slots=True)
class Again:
    """The interrupted call is safe to run again."""


@dataclass(frozen=True, slots=True)
class Later:
    """The interrupted call may still be running elsewhere; look again after this many seconds."""

    seconds: float


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
    observed: tuple[Observed, ...]
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


class Loop:
    """Works on a subtask from its last stored step on."""

    def __init__(
        self, agent: Agent, steps: Sequence[Step], journal: Journal, telemetry: Telemetry, executor: Executor
    ) -> None:
        self._agent = agent
        self._steps = list(steps)
        self._journal = journal
        self._telemetry = telemetry
        self._executor = executor
        self._started = monotonic()
        self._messages: list[Message] = [*agent.opening, *(m for step in steps for m in as_message(step))]
        self._progress = Progress(closed(steps))
        self._highest = max((highest_ref(step) for step in steps), default=0)
        self._used = 0

    def run(self) -> End:
        """Go on until the subtask ends, waits or yields. Raises ModelUnavailableError, ModelRefusedError."""
        if self._steps and self._steps[-1].open_calls():
            end = self._finish_open(self._steps[-1])
            if end:
                return end
        while True:
            if self._journal.must_yield():
                return Yielded()
            limit = self._limit()
            if limit is Ending.RUN_LIMIT or limit is Ending.TOKEN_LIMIT:
                return Stopped(limit, known(self._steps))
            if limit:
                self._tell_last(limit)
            started = monotonic()
            reply = self._think(with_tools=limit is None)
            end = self._act(reply, limit, started)
            if end:
                return end

    def _limit(self) -> Ending | None:
        """The one place where limits are checked, just before each model call."""
        spent = self._journal.spent(self._used)
        if spent:
            return spent
        if self._agent.worked + monotonic() - self._started >= self._agent.seconds:
            return Ending.TIME_LIMIT
        replies = sum(1 for step in self._steps if step.kind == "reply")
        return Ending.STEP_LIMIT if replies >= self._agent.most_steps - 1 else None

    def _tell_last(self, limit: Ending) -> None:
        if self._steps and any(step.last_call for step in self._steps):
            return
        if limit is Ending.STEP_LIMIT and not self._agent.toolbox.specs():
            return
        why = "Your time is up." if limit is Ending.TIME_LIMIT else "This is your last step."
        self._save(Step(n=self._next(), kind="notice", text=NOW_ANSWER.format(why=why), last_call=True))

    def _think(self, *, with_tools: bool) -> ModelReply:
        tools = self._agent.toolbox.specs() if with_tools else ()
        left = self._agent.seconds - self._agent.worked - (monotonic() - self._started)
        request = ModelRequest(tuple(self._messages), tools, self._next(), Deadline.after(max(left, 60.0)))
        attributes = {"gen_ai.operation.name": "chat", "gen_ai.request.model": self._agent.model.name}
        with self._telemetry.span(f"chat {self._agent.model.name}", attributes) as span:
            try:
                reply = self._agent.model.complete(request)
            except ModelUnavailableError as error:
                span.failed(str(error))
                raise
            span.set({"gen_ai.usage.input_tokens": reply.usage.input_tokens})
            span.set({"gen_ai.usage.output_tokens": reply.usage.output_tokens})
        self._used += reply.usage.input_tokens + reply.usage.output_tokens
        return reply

    def _act(self, reply: ModelReply, limit: Ending | None, started: float) -> End | None:
        step = reply_step(self._next(), reply, monotonic() - started)
        if reply.finish == "length":
            return self._mend(step.model_copy(update={"calls": (), "text": ""}), (CUT_OFF,), limit)
        if step.calls and limit is None:
            return self._call(step, started)
        verdict = self._agent.judge(step.text)
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
                return Stopped(limit, step.text.strip() or known(self._steps), step)
            return Stopped(Ending.UNPARSABLE, " ".join(reasons), step)
        self._save(step)
        listed = "\n".join(f"- {reason}" for reason in reasons)
        self._save(Step(n=self._next(), kind="notice", text=f"That does not count as your answer yet:\n{listed}"))
        return None

    def _call(self, step: Step, started: float) -> End | None:
        """Carry out the calls of a reply: side by side when all only read, else one after another."""
        risky = [call for call in step.calls if self._agent.toolbox.effect(call) not in {"read", None}]
        if risky:
            self._journal.intend(step, risky)
        refs = {call.id: self._ref(position) for position, call in enumerate(step.calls)}
        if risky or len(step.calls) == 1:
            done = [self._run(step.n, call, refs[call.id]) for call in step.calls]
        else:
            tasks = [
                self._executor.submit(copy_context().run, self._run, step.n, call, refs[call.id]) for call in step.calls
            ]
            done = [future.result() for future in tasks]
        return self._observe(step, done, started)

    def _run(self, n: int, call: StepCall, ref: str) -> Observed | Asked:
        deadline = Deadline.after(self._agent.toolbox.seconds(call))
        with self._telemetry.span(f"execute_tool {call.tool}", {"gen_ai.tool.name": call.tool}) as span:
            done = self._agent.toolbox.run(call, ref, deadline, self._journal.key(n, call.id))
            if isinstance(done, Observed):
                span.set({"remit.observation": ref, "remit.ok": done.ok})
            return done

    def _finish_open(self, step: Step) -> End | None:
        """Complete a step that waited for a person, or whose worker died in the middle of it."""
        started = monotonic()
        done: list[Observed | Asked] = []
        for position, call in enumerate(step.open_calls()):
            ref = self._ref(position)
            what = self._journal.recover(step, call, ref)
            if isinstance(what, Later):
                return Yielded(what.seconds)
            done.append(self._run(step.n, call, ref) if isinstance(what, Again) else what)
        self._steps.pop()
        self._messages = self._messages[: len(self._messages) - len(as_message(step))]
        return self._observe(step, done, started - step.seconds)

    def _observe(self, step: Step, done: Sequence[Observed | Asked], started: float) -> End | None:
        observed = [one for one in done if isinstance(one, Observed)]
        results = [result(one, self._hint(step, one)) for one in observed]
        complete = with_results(step, results, monotonic() - started)
        asked = [(one.call_id, one.draft) for one in done if isinstance(one, Asked)]
        if asked:
            return AskedPeople(complete, tuple(observed), tuple(asked))
        self._save(complete, observed)
        stuck = self._progress.stuck(complete)
        return Stopped(Ending.NO_PROGRESS, f"No progress. {stuck} {known(self._steps)}") if stuck else None

    def _hint(self, step: Step, one: Observed) -> str:
        """What is added to a result that the same call gave before."""
        single = step.model_copy(update={"results": (result(one, ""),)})
        return NOTHING_NEW if self._progress.repeats(single) else ""

    def _ref(self, position: int) -> str:
        return observation_ref(self._agent.number, self._highest + position + 1)

    def _next(self) -> int:
        return self._steps[-1].n + 1 if self._steps else 1

    def _save(self, step: Step, observed: Sequence[Observed] = ()) -> None:
        self._journal.save(step, observed)
        self._steps.append(step)
        self._messages += as_message(step)
        self._highest = max(self._highest, highest_ref(step))
        self._progress.note(step)
