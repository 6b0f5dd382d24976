"""The model port over chat completions: encode, send, read, and try again where that may help."""

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from agents.models.base import ModelReply, ModelRequest, Usage
from agents.models.native.encoder import Encoder
from agents.models.openai_chat.answers import Answer, Sender
from agents.models.openai_chat.dialect import PLAINEST, QUIRKS, Dialect, Dialects
from agents.models.openai_chat.failures import Failure, no_tools
from agents.models.openai_chat.replies import Received, received
from agents.models.openai_chat.retry import Retry
from agents.models.openai_chat.tries import OnTry, TryEvent
from agents.models.openai_chat.usage import estimate
from agents.models.prices import cost


@dataclass(frozen=True, slots=True)
class Sampling:
    """How an agent asks its model."""

    temperature: float | None = 0.2
    max_output: int = 2048
    seconds: float = 30.0
    """The longest that one try may take."""


class PerThread(threading.local):
    """One encoder a thread: a turn runs in one thread, and works on one transcript."""

    def __init__(self) -> None:
        self.encoder = Encoder()


@dataclass(frozen=True, slots=True)
class Shared:
    """What all models of one endpoint share in this process."""

    address: str
    sender: Callable[[], Sender]
    """Opens the client at the first call: opening is slow, and a worker with playbooks alone never does it."""
    dialects: Dialects
    retry: Retry = field(default_factory=Retry)
    on_try: OnTry | None = None
    encoders: PerThread = field(default_factory=PerThread)
    dice: random.Random = field(default_factory=random.Random)


class OpenAIChat:
    """One model of an endpoint. Safe to use from many threads."""

    def __init__(self, name: str, sampling: Sampling, shared: Shared) -> None:
        self._name = name
        self._sampling = sampling
        self._shared = shared

    @property
    def name(self) -> str:
        """The model's name, as the endpoint knows it."""
        return self._name

    def complete(self, request: ModelRequest) -> ModelReply:
        """One whole reply. Raises ModelUnavailableError, ModelRefusedError, ContextOverflowError."""
        attempt = 1
        while True:
            outcome = self._attempt(request, attempt)
            if isinstance(outcome, ModelReply):
                return outcome
            roll = self._shared.dice.random()
            pause = self._shared.retry.pause(outcome, attempt, request.deadline.left(), roll)
            if pause is None:
                raise outcome.error(f"model {self._name}", attempt)
            request.deadline.wait(pause)
            attempt += 1

    def _attempt(self, request: ModelRequest, attempt: int) -> ModelReply | Failure:
        """One try; a request whose form the server refuses is sent again at once in the form that it asks for."""
        dialects = self._shared.dialects
        before: Dialect | None = None
        for _ in (*QUIRKS, PLAINEST):
            dialect = dialects.of(self._name)
            if request.tools and not dialect.tools:
                return no_tools(self._shared.address)
            outcome = self._send(request, dialect, attempt)
            if not isinstance(outcome, Failure) or outcome.kind == "overflow" or outcome.status is None:
                return outcome
            if dialects.learn(self._name, dialect, outcome.said, outcome.status):
                continue
            if before is not None and outcome.kind == "refused":
                dialects.restore(self._name, dialect, before)
            if before is not None or not dialects.degrade(self._name, dialect, outcome.said, outcome.status):
                return outcome
            before = dialect
        return self._send(request, dialects.of(self._name), attempt)

    def _send(self, request: ModelRequest, dialect: Dialect, attempt: int) -> ModelReply | Failure:
        shared = self._shared
        seconds = min(self._sampling.seconds, request.deadline.left())
        if seconds <= 0:
            return Failure("unavailable", f"no time was left to ask the endpoint {shared.address}", retry=False)
        settings = dialect.settings(self._name, self._sampling.temperature, self._sampling.max_output, request.stop)
        body = shared.encoders.encoder.body(settings, request.messages, request.tools, dialect.shape)
        event = self._announced(request, body, attempt)
        started = time.monotonic()
        answer = shared.sender().post(body, seconds, request.deadline.stopped)
        outcome = received(answer, request, body, shared.address)
        reply = outcome if isinstance(outcome, Failure) else self._priced(outcome)
        if isinstance(reply, ModelReply) and request.tools and _is_silent(reply):
            shared.dialects.silent(self._name, dialect)
        if event is not None and isinstance(answer, Answer):
            event = replace(event, quotas=answer.quotas)
        self._ended(event, time.monotonic() - started, outcome, reply)
        return reply

    def _priced(self, got: Received) -> ModelReply:
        names = (got.reported_model or self._name, self._name)
        tokens = got.tokens
        dollars = cost(
            names,
            self._shared.address,
            input_tokens=tokens.input,
            output_tokens=tokens.output,
            cached_tokens=tokens.cached,
        )
        usage = Usage(self._name, tokens.input, tokens.output, dollars)
        reply = got.reply
        return ModelReply(reply.text, reply.calls, reply.finish, usage, reply.thought, reply.opaque, reply.faults)

    def _announced(self, request: ModelRequest, body: bytes, attempt: int) -> TryEvent | None:
        """Tell that a try begins; whoever listens may refuse it by raising."""
        if self._shared.on_try is None:
            return None
        address, size = self._shared.address, len(body)
        most = self._sampling.max_output
        event = TryEvent("start", self._name, address, request.step, attempt, size, estimate(body), most)
        self._shared.on_try(event)
        return event

    def _ended(
        self, event: TryEvent | None, seconds: float, outcome: Received | Failure, reply: ModelReply | Failure
    ) -> None:
        if event is None or self._shared.on_try is None:
            return
        if isinstance(outcome, Failure):
            ended = replace(
                event,
                failure=outcome.what,
                status=outcome.status,
                retry_after=outcome.retry_after,
                sent=outcome.sent,
                again=outcome.retry,
            )
        else:
            usage = reply.usage if isinstance(reply, ModelReply) else None
            ended = replace(event, usage=usage, estimated=outcome.tokens.estimated)
        self._shared.on_try(replace(ended, phase="end", seconds=seconds))


def _is_silent(reply: ModelReply) -> bool:
    """True for calls without a thought, which every agent is told to give."""
    return bool(reply.calls) and not reply.thought and not reply.text.strip()
