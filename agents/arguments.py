"""Checks the arguments of a tool call; a wrong call is answered argument by argument: what was sent, what is wanted."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from rapidfuzz import process

from agents.errors import ToolError
from agents.protocols.arguments import why_malformed
from agents.protocols.json_text import non_finite
from agents.protocols.schemas import inlined
from agents.tools.function import Tool
from orchestrator.domain.step import StepCall

_QUOTED = 80
_MOST_TOLD = 6
_NESTED_TEXT = {"list_type", "dict_type", "model_type", "model_attributes_type", "tuple_type"}


def checked(tool: Tool, call: StepCall) -> BaseModel:
    """The validated arguments. Raises ToolError('invalid_arguments') that says how to mend the call."""
    if call.malformed is not None:
        raise _invalid(tool, [why_malformed(call.malformed)])
    if found := non_finite(call.arguments, "arguments"):
        raise _invalid(tool, [f"The number at {found} is NaN or Infinity; send a finite number."])
    try:
        return tool.arguments.model_validate(call.arguments)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False)
    if repaired := _decoded(call.arguments, faults):
        try:
            return tool.arguments.model_validate(repaired)
        except ValidationError:
            pass  # told below about what was really sent
    raise _invalid(tool, _told(tool, faults))


def _decoded(arguments: Mapping[str, Any], faults: Sequence[ErrorDetails]) -> dict[str, Any] | None:
    """The arguments with lists and objects that were sent as JSON inside a text; None if there are none."""
    repaired = dict(arguments)
    for fault in faults:
        name = str(fault["loc"][0]) if fault["loc"] else ""
        value = arguments.get(name)
        if fault["type"] in _NESTED_TEXT and isinstance(value, str) and value.lstrip()[:1] in {"[", "{"}:
            try:
                repaired[name] = json.loads(value)
            except ValueError:
                return None
    return repaired if repaired != arguments else None


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
    wanted = f" Wanted: {_wanted(_schema_at(schema, fault['loc']))}."
    if fault["type"] == "missing":
        return f"`{place}` is missing.{wanted}"
    return f"`{place}`: you sent {_quoted(fault['input'])}; {_message(fault)}.{wanted}"


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


def _wanted(schema: Mapping[str, Any]) -> str:
    described = str(schema.get("description", "")).rstrip(".")
    meaning = f" ({described})" if described else ""
    sample = example(schema)
    such = "" if sample is None else f", such as {json.dumps(sample, ensure_ascii=False)}"
    return f"{_kind(schema)}{meaning}{such}"


def _kind(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return "one of " + ", ".join(json.dumps(value, ensure_ascii=False) for value in schema["enum"])
    if "const" in schema:
        return json.dumps(schema["const"], ensure_ascii=False)
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_kind(option) for option in schema["anyOf"]))
    kind = str(schema.get("type", "any value"))
    if kind == "array":
        return f"a list of {_kind(schema.get('items', {}))}"
    names = {"string": "a text", "integer": "a whole number", "number": "a number", "boolean": "true or false"}
    return names.get(kind, "an object" if kind == "object" else kind) + _bounds(schema)


def _bounds(schema: Mapping[str, Any]) -> str:
    signs = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
    limits = [f"{sign} {schema[name]}" for name, sign in signs.items() if name in schema]
    if "pattern" in schema:
        limits.append(f"like {schema['pattern']}")
    return f" {' and '.join(limits)}" if limits else ""


def example(schema: Mapping[str, Any]) -> Any:
    """A small value that fits an inlined JSON Schema, the schema's own example first; None when it takes knowledge."""
    for value in (*schema.get("examples", ()), *schema.get("enum", ()), schema.get("const"), schema.get("default")):
        if value not in (None, "", [], {}):
            return value
    if "anyOf" in schema:
        return example(schema["anyOf"][0])
    return _example_of_kind(schema)


def _example_of_kind(schema: Mapping[str, Any]) -> Any:
    kind = schema.get("type")
    if kind == "object":
        properties = cast("dict[str, Any]", schema.get("properties", {}))
        needed = schema.get("required", list(properties))
        return {name: _or_dots(example(properties[name])) for name in needed if name in properties}
    if kind == "array":
        item = example(schema.get("items", {}))
        return None if item is None else [item]
    if kind in {"integer", "number"}:
        return _number(schema)
    if kind == "boolean":
        return True
    return {"date": "2026-01-31", "date-time": "2026-01-31T12:00:00Z"}.get(str(schema.get("format")))


def _or_dots(value: Any) -> Any:
    return "…" if value is None else value


def _number(schema: Mapping[str, Any]) -> int | float:
    for name, step in (("minimum", 0), ("exclusiveMinimum", 1), ("maximum", 0), ("exclusiveMaximum", -1)):
        if name in schema:
            return schema[name] + step
    return 1


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
