"""The script of a scripted model: rules of when and what to answer."""

import re
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

from agents.fake_model.templates import check_template, texts_in


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class TextTest(_Part):
    """What a text must hold, or must not. A bare text means `contains`; a list means all of them."""

    contains: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    matches: str | None = None
    """A regular expression; its named groups are `groups` in the reply."""

    @field_validator("contains", "lacks", mode="before")
    @classmethod
    def _one_or_many(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @field_validator("matches")
    @classmethod
    def _compiles(cls, value: str | None) -> str | None:
        try:
            re.compile(value or "")
        except re.error as error:
            raise ValueError(f"this is no regular expression: {error}") from None
        return value


def _text_test(value: object) -> object:
    return {"contains": value} if isinstance(value, str | list) else value


def _names(value: object) -> object:
    return (value,) if isinstance(value, str) else value


Test = Annotated[TextTest, BeforeValidator(_text_test)]
Names = Annotated[tuple[str, ...], BeforeValidator(_names)]


class When(_Part):
    """Conditions on a request; all that are given must hold."""

    system: Test | None = None
    """The system prompt."""
    user: Test | None = None
    """The first message of the user: the goal."""
    last: Test | None = None
    """The last message, whoever wrote it."""
    last_role: Literal["system", "developer", "user", "assistant", "tool"] | None = None
    tool_result: Test | None = None
    """The results of the last reply's calls: one of them must pass."""
    anywhere: Test | None = None
    """One of the messages."""
    tool_results: Annotated[int, Field(ge=0)] | None = None
    """How many tool results the transcript holds."""
    replies: Annotated[int, Field(ge=0)] | None = None
    """How many replies of the model the transcript holds."""
    tools: Names | None = None
    """All of these tools are offered; an empty list: none is."""
    model: str | None = None
    request: Annotated[int, Field(ge=1)] | None = None
    """The number of the request since the server started, from 1."""


class Call(_Part):
    """One tool call. `arguments`: an object, or a text that is sent as it is; null leaves them out."""

    tool: str
    arguments: dict[str, Any] | str | None = Field(default_factory=dict[str, Any])
    id: str | None = None


class FaultDetail(_Part):
    """How the server fails instead of answering."""

    kind: Literal["status", "timeout", "reset", "cut", "drip", "garbage", "html", "empty"] = "status"
    """timeout: never answers; reset: closes at once; cut: closes in the middle of the body; drip: sends the body
    slowly, over `seconds`; garbage: no JSON; html: a web page; empty: a body without choices. `cut` and `drip` may
    have a `status` beside them."""
    status: Annotated[int, Field(ge=400, le=599)] | None = None
    message: str = "scripted failure"
    code: str | None = None
    param: str | None = None
    retry_after: float | str | None = None
    """The header of that name, with `status`."""
    seconds: Annotated[float, Field(gt=0)] = 3600.0

    @model_validator(mode="after")
    def _status_where_due(self) -> Self:
        if self.kind == "status" and self.status is None:
            raise ValueError("a fault is a word (timeout, reset, cut, drip, garbage, html, empty) or has a status")
        return self


def _fault(value: object) -> object:
    return {"kind": value} if isinstance(value, str) else value


Fault = Annotated[FaultDetail, BeforeValidator(_fault)]


class Usage(_Part):
    """The tokens that the reply claims."""

    input: Annotated[int, Field(ge=0)]
    output: Annotated[int, Field(ge=0)]


class Reply(_Part):
    """One answer. Texts and arguments may quote the request: `{{ result.data.total }}`."""

    text: str | None = None
    thought: str | None = None
    """Sent as `reasoning_content`."""
    calls: tuple[Call, ...] = ()
    finish: str | None = None
    """The finish reason; by itself `tool_calls` or `stop`."""
    usage: Usage | Literal["none"] | None = None
    """By itself estimated from the texts; `none`: the server does not tell."""
    latency_ms: Annotated[float, Field(ge=0)] = 0.0
    body: dict[str, Any] | None = None
    """The whole JSON body as it is, for whatever no other field can say."""
    fault: Fault | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        said = self.text is not None or self.calls or self.thought is not None
        if self.body is not None and said:
            raise ValueError("`body` stands alone: leave out text, thought and calls")
        if not said and self.body is None and self.fault is None:
            raise ValueError("a reply needs text, calls, body or fault")
        return self

    @field_validator("text", "thought", "calls", "body")
    @classmethod
    def _templates_parse(cls, value: object) -> object:
        for text in texts_in(value):
            check_template(text)
        return value


class Rule(_Part):
    """When it fits, `reply` is the answer, or the step of `steps` that the transcript has come to.

    `steps` are the replies of one agent in order: the first when the transcript holds no reply yet, and so on.
    """

    when: When = When()
    reply: Reply | None = None
    steps: tuple[Reply, ...] = ()
    times: Annotated[int, Field(ge=1)] | None = None
    """The rule serves so many requests, then the next one that fits is taken."""

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if (self.reply is None) == (not self.steps):
            raise ValueError("a rule has either `reply` or `steps`")
        return self


class Script(_Part):
    """A whole script; the first rule that fits a request answers it."""

    models: Names = ()
    """The models that exist; asking for another is a 404. Empty: any name will do."""
    lists_models: bool = True
    """False: `GET /v1/models` is a 404, as on servers that do not tell."""
    key: str | None = None
    """The key that must be sent; None: any."""
    latency_ms: Annotated[float, Field(ge=0)] = 0.0
    """Added to every reply."""
    rules: tuple[Rule, ...]

    @field_validator("rules")
    @classmethod
    def _some(cls, value: tuple[Rule, ...]) -> tuple[Rule, ...]:
        if not value:
            raise ValueError("a script needs at least one rule")
        return value
