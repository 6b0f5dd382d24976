"""Checks the arguments of a tool call; a wrong call is answered argument by argument: what was sent, what is wanted."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from rapidfuzz import process

from agents.coercion import coerced
from agents.errors import ToolError
from agents.protocols.arguments import why_malformed
from agents.protocols.json_text import dumps, non_finite
from agents.protocols.schemas import inlined
from agents.schema_words import example, wanted
from agents.tools.function import Tool
from orchestrator.domain.step import StepCall

_QUOTED = 80
_MOST_TOLD = 6


@dataclass(frozen=True, slots=True)
class _Checked:
    arguments: BaseModel
    notes: tuple[str, ...] = ()


def checked(tool: Tool, call: StepCall) -> BaseModel:
    """The validated arguments. Raises ToolError('invalid_arguments') that says how to mend the call."""
    return _checked(tool, call).arguments


def read_otherwise(tool: Tool, call: StepCall) -> tuple[str, ...]:
    """A sentence for each argument that was not sent as the tool takes it: what it was read as."""
    try:
        return _checked(tool, call).notes
    except ToolError:
        return ()


def _checked(tool: Tool, call: StepCall) -> _Checked:
    if call.malformed is not None:
        raise _invalid(tool, [why_malformed(call.malformed)])
    if found := non_finite(call.arguments, "arguments"):
        raise _invalid(tool, [f"The number at {found} is NaN or Infinity; send a finite number."])
    try:
        return _Checked(_strict(tool, call.arguments))
    except ValidationError:
        read = coerced(call.arguments, inlined(tool.schema(), tool.name))
    try:
        return _Checked(_strict(tool, read), _read_as(call.arguments, read))
    except ValidationError:
        pass
    try:
        # What pydantic reads beyond its strict mode (1 for true) is taken too, and told as well.
        valid = tool.arguments.model_validate(read)
    except ValidationError as error:
        faults = _faults(tool, call.arguments, error)
        raise _invalid(tool, _told(tool, faults)) from None
    return _Checked(valid, _read_as(call.arguments, valid.model_dump(mode="json", exclude_unset=True)))


def _strict(tool: Tool, arguments: Mapping[str, Any]) -> BaseModel:
    # Strict as JSON is: a date is a text there, but a number in a text is no number.
    return tool.arguments.model_validate_json(dumps(arguments, tool.name), strict=True)


def _faults(tool: Tool, sent: Mapping[str, Any], error: ValidationError) -> Sequence[ErrorDetails]:
    """What is wrong with what was really sent, not with what was made of it."""
    try:
        tool.arguments.model_validate(sent)
    except ValidationError as first:
        error = first
    return error.errors(include_url=False, include_context=False)


def _read_as(sent: Mapping[str, Any], read: Mapping[str, Any]) -> tuple[str, ...]:
    notes = [
        f"`{name}`: you sent {_quoted(value)}; it was read as {_quoted(read[name])}."
        for name, value in sent.items()
        if name in read and not _same(read[name], value)
    ]
    left_out = [f"`{name}`: you sent null; it was left out." for name in sent if name not in read]
    return (*notes, *left_out)


def _same(one: Any, other: Any) -> bool:
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _told(tool: Tool, faults: Sequence[ErrorDetails]) -> list[str]:
    schema = inlined(tool.schema(), tool.name)
    told = list(dict.fromkeys(_one(fault, schema) for fault in faults))
    if len(told) > _MOST_TOLD:
        return [*told[:_MOST_TOLD], f"{len(told) - _MOST_TOLD} more arguments are wrong."]
    return told


def _one(fault: ErrorDetails, schema: Mapping[str, Any]) -> str:
    place = ".".join(str(part) for part in fault["loc"])
    if fault["type"] == "extra_forbidden":
        around = _schema_at(schema, fault["loc"][:-1])
        owner = "this tool" if len(fault["loc"]) == 1 else ".".join(str(part) for part in fault["loc"][:-1])
        return f"`{place}` is no argument of {owner}; {_names(str(fault['loc'][-1]), around.get('properties', {}))}."
    due = f" Wanted: {wanted(_schema_at(schema, fault['loc']))}."
    if fault["type"] == "missing":
        return f"`{place}` is missing.{due}"
    return f"`{place}`: you sent {_quoted(fault['input'])}; {_message(fault)}.{due}"


def _schema_at(schema: Mapping[str, Any], place: Sequence[int | str]) -> Mapping[str, Any]:
    """The schema of the argument at `place`, or of the nearest one around it."""
    for part in place:
        inner = schema.get("items") if isinstance(part, int) else schema.get("properties", {}).get(part)
        if not isinstance(inner, Mapping):
            break
        schema = cast("Mapping[str, Any]", inner)
    return schema


def _message(fault: ErrorDetails) -> str:
    text = fault["msg"].removeprefix("Value error, ").rstrip(".")
    return text[:1].lower() + text[1:]


def _names(sent: str, properties: Mapping[str, Any]) -> str:
    if not properties:
        return "it takes none"
    nearest = process.extract(sent, list(properties), limit=None)
    return "it takes " + ", ".join(f"`{name}`" for name, _, _ in nearest)


def _quoted(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _QUOTED else text[:_QUOTED] + "…"


def _invalid(tool: Tool, reasons: Sequence[str]) -> ToolError:
    return ToolError("invalid_arguments", f"{tool.name} was not run. " + " ".join(reasons), hint=_whole(tool))


def _whole(tool: Tool) -> str:
    """How a right call looks, with every argument that has to be there."""
    schema = inlined(tool.schema(), tool.name)
    needed = {**schema, "type": "object", "required": schema.get("required", [])}
    return f"Call {tool.name} again with arguments such as {json.dumps(example(needed), ensure_ascii=False)}."
