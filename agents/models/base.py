"""The port of a model: provider-neutral messages in, one whole reply out."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from orchestrator.domain.step import Effect
from orchestrator.ports.clock import Deadline

Finish = Literal["stop", "calls", "length", "filter"]
ProtocolName = Literal["auto", "native", "text"]
"""How an agent's model is told of tools; `auto`: natively, and by the text protocol once tools were refused."""


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call in a reply. `id` is ours (`c<step>.<index>`), unique in the transcript; the wire has its own.

    `arguments` is what the model sent, parsed where it was a JSON object; otherwise `arguments` is empty and
    `malformed` holds the raw text, and the call is answered with an error instead of being run.
    """

    id: str
    tool: str
    arguments: dict[str, Any]
    malformed: str | None = None
    notes: tuple[str, ...] = ()
    """What had to be done to the reply to read this call from it; the agent is told beside the result."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a transcript, as every provider knows it.

    `system`, `user`: `text`. `assistant`: `text` and/or `calls`. `tool`: `text` answers the call `call_id`.
    """

    role: Literal["system", "user", "assistant", "tool"]
    text: str = ""
    calls: tuple[Call, ...] = ()
    call_id: str | None = None
    thought: str = ""
    """What an assistant thought before its calls; protocols in which thoughts are part of a reply write it back."""
    opaque: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The payload of the provider whose model replied (see `ModelReply`)."""
    model: str = ""
    """The model that replied: its payload goes back to it alone."""


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """What a model is told of a tool: its name, a description and the JSON Schema of its arguments.

    `effect` is for us: how far we may go in making sense of a badly written call.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    effect: Effect = "unsafe"


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One question to a model. `tools` empty means: no calls in this reply. `step` numbers the calls' ids."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    step: int
    deadline: Deadline
    stop: tuple[str, ...] = ()
    """Texts at which the endpoint ends the reply."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one reply as the endpoint counted them; `cost`: US dollars as a decimal string, or None."""

    model: str
    input_tokens: int = 0
    output_tokens: int = 0
    cost: str | None = None
    estimated: bool = False
    """True when the endpoint did not count and the tokens are a guess."""


@dataclass(frozen=True, slots=True)
class ModelReply:
    """One whole reply. `finish` is `length` when the endpoint cut it off: its calls are then never run."""

    text: str
    calls: tuple[Call, ...]
    finish: Finish
    usage: Usage
    thought: str = ""
    opaque: dict[str, Any] = field(default_factory=dict[str, Any])
    """A provider's own payload (reasoning items), only ever sent back to the same model.

    Members of the message by name; under `calls` those of single calls, by our id of the call.
    """
    faults: tuple[str, ...] = ()
    """Why this reply is neither an answer nor a call, in sentences for the model; then it counts as neither."""


class Model(Protocol):
    """Something that gives the next reply. Raises ModelUnavailableError, ModelRefusedError."""

    @property
    def name(self) -> str:
        """The model's name as people and prices know it (`gpt-…`, `playbook`)."""
        ...

    def complete(self, request: ModelRequest) -> ModelReply:
        """Return one whole reply, or raise; never half a reply."""
        ...
