"""Says in words what an inlined JSON Schema takes, with a value that fits."""

import json
from collections.abc import Mapping
from typing import Any, cast


def wanted(schema: Mapping[str, Any]) -> str:
    """What a schema takes, what it is for, and such a value."""
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
