"""The decorator that makes a typed Python function a tool: its schema, its effect, when to use it and when not."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model

from orchestrator.domain.ticket import TicketDraft
from orchestrator.errors import TeamError
from orchestrator.ports.clock import Deadline

Effect = Literal["read", "idempotent", "keyed", "unsafe"]


class ToolContext(Protocol):
    """What a running tool may ask for: the run's inputs, what was observed before, and how long it may take."""

    @property
    def deadline(self) -> Deadline:
        """The tool must have returned by then."""
        ...

    @property
    def idempotency_key(self) -> str:
        """Run + subtask + step + call: the same for every attempt of this one call."""
        ...

    def input(self, name: str) -> Path:
        """The local copy of the run's input file `name`. Raises ToolError('unknown_input')."""
        ...

    def input_names(self) -> Mapping[str, str]:
        """Input name → original file name, of every input file of the run."""
        ...

    def observed(self, ref: str) -> Any:
        """The whole `data` of this run's observation `ref` (`E4.2`). Raises ToolError('unknown_evidence')."""
        ...

    def files(self) -> Mapping[str, int]:
        """`E4.2/name` → bytes, of every file that tools of this run made."""
        ...

    def file(self, name: str) -> Path:
        """The local copy of such a file. Raises ToolError('unknown_file')."""
        ...

    def setting(self, name: str) -> str | None:
        """What the installation sets for tools (`arxiv_url`), since they see no environment; None: it is not set."""
        ...


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool returns: one sentence, structured data (JSON types; Decimal and date are written as text), files.

    `shown` is the part of `data` that the agent reads at once, when the whole is too much; the whole is stored.
    """

    summary: str
    data: Any = None
    shown: Any = None
    artifacts: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    empty: bool = False
    """True when nothing was found; `summary` then says what that means and what to try instead."""


@dataclass(frozen=True, slots=True)
class Ask:
    """What a tool returns when a person has to answer instead: the question becomes a ticket, its answer the result."""

    draft: TicketDraft


@dataclass(frozen=True, slots=True)
class Happened:
    """What `verify` returns when the call took effect; `result` is what the agent reads, as if it had come back."""

    result: ToolResult


@dataclass(frozen=True, slots=True)
class NotHappened:
    """What `verify` returns when the call did not take effect and never will: it is begun again."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """What `verify` returns when it cannot tell: a person is asked."""

    why: str = ""


Outcome = Happened | NotHappened | Unknown
Verify = Callable[[Any, ToolContext], Outcome]
"""(arguments, context) → whether the call of this key took effect. `arguments` has the tool's parameters as fields."""
Preview = Callable[[Any, ToolContext], ToolResult]
"""(arguments, context) → what the call would do. It only reads."""
Compensate = Callable[[Any, Any, ToolContext], ToolResult]
"""(arguments, data of the call's observation or None, context) → how the call was undone.

`context` has the key of the call that is undone. With a `keyed` or `idempotent` tool it may be run again.
"""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool as teams name it (`tables.profile`) and models call it."""

    name: str
    description: str
    effect: Effect
    arguments: type[BaseModel]
    function: Callable[..., ToolResult | Ask]
    takes_context: bool
    seconds: float
    isolated: bool
    """True: runs in a child process with a memory limit, killed at its deadline."""
    verify: Verify | None = None
    preview: Preview | None = None
    compensate: Compensate | None = None

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the arguments."""
        return self.arguments.model_json_schema()

    def run(self, arguments: BaseModel, context: ToolContext) -> ToolResult | Ask:
        """Call the function with validated arguments."""
        values = {name: getattr(arguments, name) for name in type(arguments).model_fields}
        if self.takes_context:
            values["context"] = context
        return self.function(**values)


def tool(
    name: str,
    *,
    effect: Effect = "unsafe",
    use_when: str,
    not_when: str,
    seconds: float = 30.0,
    isolated: bool = False,
    verify: Verify | None = None,
    preview: Preview | None = None,
    compensate: Compensate | None = None,
) -> Callable[[Callable[..., ToolResult | Ask]], Tool]:
    """Declare a function as a tool.

    Its first docstring paragraph is the description; each parameter is typed, and described with
    `Annotated[..., Field(description=…)]`; a parameter called `context` receives a `ToolContext`.
    `verify`, `preview` and `compensate` are for tools with an effect; see docs/effects.md.
    Raises TeamError when the function cannot be a tool.
    """

    def declare(function: Callable[..., ToolResult | Ask]) -> Tool:
        where = f"{function.__module__}:{function.__name__}"
        doc = inspect.getdoc(function)
        if not doc:
            raise TeamError("the tool has no docstring", where=where, mend="Say in one sentence what it does.")
        if effect == "read" and (verify or preview or compensate):
            what = "a tool that only reads has nothing to verify, to preview or to undo"
            raise TeamError(what, where=where, mend="Declare its effect, or leave these functions out.")
        purpose = doc.split("\n\n")[0].replace("\n", " ")
        return Tool(
            name=name,
            description=f"{purpose} Use it when {use_when}. Do not use it when {not_when}.",
            effect=effect,
            arguments=_arguments(function, name, where),
            function=function,
            takes_context="context" in inspect.signature(function).parameters,
            seconds=seconds,
            isolated=isolated,
            verify=verify,
            preview=preview,
            compensate=compensate,
        )

    return declare


def _arguments(function: Callable[..., ToolResult | Ask], name: str, where: str) -> type[BaseModel]:
    hints = get_type_hints(function, include_extras=True)
    fields: dict[str, Any] = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name == "context":
            continue
        if parameter.name not in hints:
            raise TeamError(f"parameter `{parameter.name}` has no type", where=where, mend="Annotate it.")
        default = ... if parameter.default is inspect.Parameter.empty else parameter.default
        fields[parameter.name] = (hints[parameter.name], Field(default))
    config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
    title = "".join(part.title() for part in name.replace("_", ".").split("."))
    return create_model(f"{title}Arguments", __config__=config, **fields)
