"""Puts a list or an object in place of the text that holds it as JSON, where the schema leaves no doubt."""

import json
from collections.abc import Mapping
from typing import Any, cast

from agents.protocols.json_text import non_finite

# A boolean is an integer to Python, so it comes first.
_NAMES = ((bool, "boolean"), (str, "string"), (int, "integer"), (float, "number"), (dict, "object"), (list, "array"))


def kinds(schema: Mapping[str, Any]) -> frozenset[str]:
    """The JSON types that an inlined schema takes; empty: any."""
    if options := schema.get("anyOf", schema.get("oneOf")):
        found = [kinds(option) for option in options]
        return frozenset() if frozenset() in found else frozenset[str]().union(*found)
    if "enum" in schema or "const" in schema:
        return frozenset(kind_of(value) for value in schema.get("enum", [schema.get("const")]))
    kind = schema.get("type", ())
    return frozenset([kind]) if isinstance(kind, str) else frozenset(cast("list[str]", kind))


def kind_of(value: object) -> str:
    """The JSON type of a decoded value, as schemas name it."""
    if value is None:
        return "null"
    for kind, name in _NAMES:
        if isinstance(value, kind):
            return name
    return ""


def unnested(value: Any, schema: Mapping[str, Any]) -> Any:
    """`value`, or the list or object that it holds as strict JSON text when `schema` takes that, but no text."""
    if not isinstance(value, str) or value.lstrip()[:1] not in {"[", "{"}:
        return value
    wanted = kinds(schema)
    if not wanted or "string" in wanted:
        return value
    try:
        decoded: object = json.loads(value, strict=False)
    except (ValueError, RecursionError):
        return value
    return decoded if kind_of(decoded) in wanted and non_finite(decoded) is None else value
