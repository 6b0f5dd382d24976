"""The shape of a team file as a person writes it, read from TOML; every mistake is one line with file and key."""

import tomllib
from pathlib import Path
from typing import Annotated, Any, get_args

from pydantic import BaseModel, BeforeValidator, Field, StringConstraints, ValidationError
from pydantic_core import ErrorDetails

from agents.catalog.booleans import boolean_for_number
from agents.catalog.team import MOST_FALLBACKS, Priority, TeamCommand
from agents.models.base import ProtocolName
from agents.references import nearest
from agents.tools.mcp.declared import McpSection
from orchestrator.domain.budget import Allowance, OnLimit
from orchestrator.domain.budget_words import allowance
from orchestrator.domain.caps import Cap
from orchestrator.domain.goal import Name
from orchestrator.domain.record import Record
from orchestrator.domain.run import OnCancel
from orchestrator.errors import ConfigError, TeamError

ModelName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class AgentSection(Record):
    """`[planner]`, `[composer]`, `[reviewer]` and each `[agents.NAME]`."""

    about: str = ""
    instructions: str | None = None
    """A file beside the team file."""
    instructions_text: str | None = None
    tools: tuple[str, ...] = ()
    model: str | None = None
    fallbacks: Annotated[tuple[ModelName, ...], Field(max_length=MOST_FALLBACKS)] = ()
    timeout: Annotated[float, Field(gt=0, le=3600)] = 30.0
    protocol: ProtocolName = "auto"
    playbook: str | None = None
    steps: Annotated[int, Field(ge=1, le=200)] = 10
    seconds: Annotated[float, Field(gt=0)] = 300.0
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.2
    max_output: Annotated[int, Field(ge=64)] = 2048
    context: Annotated[int, Field(ge=1000)] = 100_000
    max_parallel: Cap | None = None
    must_look: bool = False
    output: dict[str, Any] | None = None


class ToolSection(Record):
    """Each `[tools.NAME]`."""

    max_parallel: Cap


class ResultSection(Record):
    """`[result]`."""

    draft: str | None = None
    fields: tuple[str, ...] = ()


class WithholdSection(Record):
    """`[withhold]`."""

    sets: tuple[str, ...] = ("secrets", "cards")


def _written(value: object) -> object:
    """`month = "50 USD"` is short for a table."""
    if isinstance(value, dict | Allowance):
        return value
    if not isinstance(value, str):
        message = "an amount has a unit"
        raise ValueError(message)
    try:
        return allowance(value)
    except ConfigError as error:
        raise ValueError(error.what) from None


class BudgetSection(Record):
    """`[budget]`: what each run may use by itself, and all runs of the team in a calendar month."""

    run: Annotated[Allowance, BeforeValidator(_written)] = Allowance()
    month: Annotated[Allowance, BeforeValidator(_written)] = Allowance()
    on_limit: OnLimit | None = None


class TeamFile(Record):
    """The whole file."""

    name: Name
    title: str = ""
    description: str = ""
    priority: Priority = 0
    on_cancel: OnCancel = "keep"
    max_parallel: Cap | None = None
    command: TeamCommand | None = None
    planner: AgentSection = AgentSection()
    agents: Annotated[dict[Name, AgentSection], Field(min_length=1)]
    composer: AgentSection = AgentSection()
    reviewer: AgentSection = AgentSection()
    mcp: dict[Name, McpSection] = Field(default_factory=dict)
    tools: dict[str, ToolSection] = Field(default_factory=dict)
    """By the names that agents list."""
    result: ResultSection = ResultSection()
    withhold: WithholdSection = WithholdSection()
    budget: BudgetSection = BudgetSection()


def read_team_file(path: Path) -> TeamFile:
    """Read and check the shape of a team file. Raises TeamError for the first thing that is wrong."""
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise TeamError(f"it cannot be read: {error.strerror}", where=str(path), mend="Name a team.toml.") from None
    except UnicodeDecodeError:
        raise TeamError("it is no UTF-8 text", where=str(path), mend="Save it as UTF-8.") from None
    except tomllib.TOMLDecodeError as error:
        raise TeamError(f"it is no valid TOML: {error}", where=str(path), mend="Mend that line.") from None
    try:
        file = TeamFile.model_validate(content)
    except ValidationError as error:
        raise _as_team_error(error.errors(include_url=False)[0], path) from None
    if found := boolean_for_number(content, file):
        key, value = found
        raise TeamError(f"{_NUMBER}, not `{_toml(value)}`", where=f"{path}: {key}", mend=_mend(key))
    return file


def _as_team_error(fault: ErrorDetails, path: Path) -> TeamError:
    key = ".".join(str(part) for part in fault["loc"] if part != "[key]")
    where = f"{path}: {key}"
    if fault["type"] == "extra_forbidden":
        known = list(_model_at(fault["loc"][:-1]).model_fields)
        return TeamError("there is no such key", where=where, mend=nearest(str(fault["loc"][-1]), known))
    if fault["type"] == "missing":
        return TeamError("it is missing", where=where, mend=_example(key))
    message = _IN_TOML.get(fault["type"]) or fault["msg"].removeprefix("Value error, ")
    if isinstance(fault["input"], bool) and fault["type"].startswith(_OF_NUMBERS):
        message = _NUMBER
    if fault["loc"] and fault["loc"][-1] == "[key]":
        message = "a name begins with a letter and has letters, digits, `_` and `-`, 64 at most"
    named = isinstance(fault["input"], dict | list) or message.startswith("`")
    sent = "" if named else f", not `{_toml(fault['input'])}`"
    return TeamError(f"{message[:1].lower()}{message[1:]}{sent}", where=where, mend=_mend(key))


def _toml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)[:60]


_LIST, _TABLE = 'write a list, as `["a", "b"]`', "write a table, as `[name]` with lines of its own"
_IN_TOML: dict[str, str] = {"tuple_type": _LIST, "list_type": _LIST, "model_type": _TABLE, "dict_type": _TABLE}
"""What a person has to write, where the words of the library are those of Python."""
_NUMBER, _OF_NUMBERS = "write a number", ("greater_", "less_", "int_", "float_", "decimal_")


def _model_at(place: tuple[int | str, ...]) -> type[BaseModel]:
    """The model that the keys under `place` belong to."""
    model: type[BaseModel] = TeamFile
    for part in place:
        field = model.model_fields.get(str(part))
        if field is None:
            continue  # the name of an agent inside `agents`, or of a server inside `mcp`
        model = _inner(field.annotation) or model
    return model


def _inner(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for part in get_args(annotation):
        if found := _inner(part):
            return found
    return None


def _mend(key: str) -> str:
    return _example(key) or "Mend that key."


_AMOUNT = "Write it like `50 USD` or `50 USD, 2000000 tokens`."


def _example(key: str) -> str | None:
    examples = {
        "name": 'Write `name = "reconcile"` at the top.',
        "agents": "Describe at least one agent, as `[agents.reader]`.",
        "budget.run": _AMOUNT,
        "budget.month": _AMOUNT,
        "command.inputs": 'Write `inputs = ["left", "right"]`.',
        "command.goal": 'Write `goal = "Compare {left} with {right}."`.',
    }
    if key.rpartition(".")[2] == "max_parallel":
        return "Write `max_parallel = 4`."
    return examples.get(key)
