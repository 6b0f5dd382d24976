"""A step: one round of think → act → observe, stored provider-neutral so that a transcript can be rebuilt from it."""

from typing import Any, Literal

from pydantic import Field

from orchestrator.domain.record import Record

Effect = Literal["read", "idempotent", "keyed", "unsafe"]
"""What a tool does to the world; see the table of words in docs/design.md."""

StepKind = Literal["reply", "notice"]
"""`reply`: the model's reply and its results. `notice`: something Remit told the agent (a mend, a person's word)."""


class StepCall(Record):
    """A tool call as it was asked for."""

    id: str
    tool: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    malformed: str | None = None
    notes: tuple[str, ...] = ()
    """What had to be made of the reply to read this call from it; told with the call's result."""


class StepResult(Record):
    """What came back for a call: `shown` is exactly what the agent reads."""

    call_id: str
    ok: bool
    shown: str
    ref: str | None = None
    digest: str = ""
    """Fingerprint of the whole result: two results with the same one told the agent the same."""
    preview: bool = False
    """True: it shows what the call would do; nothing was done."""


class StepUsage(Record):
    """What the model call of a step used; `cost` in US dollars."""

    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cost: str | None = None

    @property
    def tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens


class ModelUsage(Record):
    """What all calls of one model used; `cost` in US dollars, None when one call has no known price."""

    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost: str | None = None


class Step(Record):
    """One stored step. A call without a result is still open: it waits for a person, or its worker died."""

    n: int
    kind: StepKind = "reply"
    thought: str = ""
    text: str = ""
    calls: tuple[StepCall, ...] = ()
    results: tuple[StepResult, ...] = ()
    usage: StepUsage = StepUsage()
    by_person: bool = False
    """Of a notice: a person said it."""
    shortens_to: int = 0
    """Of a notice: results of steps up to this number are shown as their summaries from here on."""
    summarizes_to: int = 0
    """Of a reply: its text is the agent's own summary, and stands in for the steps up to this number."""
    last_call: bool = False
    """Of a notice: the agent was told to answer now, without tools, because a limit was reached."""
    opaque: dict[str, Any] = Field(default_factory=dict)
    seconds: float = 0.0

    def open_calls(self) -> tuple[StepCall, ...]:
        """Calls that have no result yet."""
        closed = {result.call_id for result in self.results}
        return tuple(call for call in self.calls if call.id not in closed)
