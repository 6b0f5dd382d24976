"""Makes a tool's JSON Schema self-contained: `$ref` is replaced by what it points at, cycles are bounded."""

from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import unquote

from orchestrator.errors import TeamError

NESTED = 2
"""How often a schema that contains itself is written out before it is cut."""
MOST_NODES = 5_000
"""A schema that grows beyond this is refused: definitions that use each other twice double at each level."""

_DROPPED = frozenset({"$defs", "definitions", "$id", "$schema", "$anchor", "$comment"})
_NAMED = frozenset({"properties", "patternProperties", "dependentSchemas"})
_DATA = frozenset({"enum", "const", "default", "examples", "example", "required"})
_PLAIN = frozenset({"type", "description", "properties", "required", "items", "enum", "anyOf"})


def inlined(schema: Mapping[str, Any], where: str) -> dict[str, Any]:
    """`schema` without references, definitions and titles that only repeat a name.

    Raises TeamError, naming `where`, for a reference that leads nowhere or out of the schema.
    """
    try:
        result = cast("dict[str, Any]", _Inlining(schema, where).walk(schema, ()))
    except RecursionError:
        raise TeamError("the schema is nested too deep", where=where, mend="Make it flatter.") from None
    result.pop("title", None)
    result.setdefault("type", "object")
    result.setdefault("properties", {})
    return result


def plain(schema: Mapping[str, Any]) -> dict[str, Any]:
    """An inlined schema reduced to the keywords that every server takes."""
    result: dict[str, Any] = {}
    for key, value in schema.items():
        if key not in _PLAIN:
            continue
        if key == "properties":
            result[key] = {name: plain(child) for name, child in value.items()}
        elif key == "items" and isinstance(value, Mapping):
            result[key] = plain(cast("Mapping[str, Any]", value))
        elif key == "anyOf":
            result[key] = [plain(child) for child in value]
        else:
            result[key] = value
    return result


class _Inlining:
    def __init__(self, root: Mapping[str, Any], where: str) -> None:
        self._root = root
        self._where = where
        self._nodes = 0

    def walk(self, node: object, inside: tuple[str, ...]) -> object:
        """A copy of `node`; `inside` are the references that are being written out around it."""
        if isinstance(node, list):
            return [self.walk(item, inside) for item in cast("list[object]", node)]
        if not isinstance(node, Mapping):
            return node
        self._count()
        schema = cast("Mapping[str, Any]", node)
        ref = schema.get("$ref")
        if isinstance(ref, str):
            return self._replaced(ref, schema, inside)
        return {key: self._member(key, value, inside) for key, value in schema.items() if key not in _DROPPED}

    def _member(self, key: str, value: object, inside: tuple[str, ...]) -> object:
        if key in _DATA:
            return value
        if key in _NAMED and isinstance(value, Mapping):
            named = cast("Mapping[str, Any]", value)
            return {name: _untitled(name, self.walk(child, inside)) for name, child in named.items()}
        return self.walk(value, inside)

    def _replaced(self, ref: str, schema: Mapping[str, Any], inside: tuple[str, ...]) -> dict[str, Any]:
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        target = self._target(ref)
        if inside.count(ref) >= NESTED:
            cut = {"type": target["type"]} if isinstance(target.get("type"), str) else {}
            return cut | {"description": "Nested deeper in the same shape."}
        written = self.walk(target, (*inside, ref))
        own = cast("dict[str, Any]", self.walk(beside, inside))
        return {**cast("dict[str, Any]", written), **own}

    def _target(self, ref: str) -> Mapping[str, Any]:
        if not ref.startswith("#"):
            raise TeamError(
                f"the schema refers to `{ref}`, outside of itself", where=self._where, mend="Write it into the schema."
            )
        node: object = self._root
        for part in [part for part in ref[1:].split("/") if part]:
            name = unquote(part).replace("~1", "/").replace("~0", "~")
            if isinstance(node, list) and name.isdecimal() and int(name) < len(cast("list[Any]", node)):
                node = cast("list[Any]", node)[int(name)]
            elif isinstance(node, Mapping) and name in node:
                node = cast("Mapping[str, Any]", node)[name]
            else:
                raise TeamError(
                    f"the schema refers to `{ref}`, which is not in it", where=self._where, mend="Mend the schema."
                )
        if not isinstance(node, Mapping):
            raise TeamError(f"the schema refers to `{ref}`, which is no schema", where=self._where)
        return cast("Mapping[str, Any]", node)

    def _count(self) -> None:
        self._nodes += 1
        if self._nodes > MOST_NODES:
            raise TeamError(
                f"the schema is larger than {MOST_NODES} parts when its references are written out",
                where=self._where,
                mend="Make it smaller.",
            )


def _untitled(name: str, schema: object) -> object:
    """Leave out a title that only repeats the property's name, as pydantic writes them."""
    if not isinstance(schema, dict):
        return schema
    members = cast("dict[str, Any]", schema)
    title = members.get("title")
    if isinstance(title, str) and _bare(title) == _bare(name):
        return {key: value for key, value in members.items() if key != "title"}
    return members


def _bare(name: str) -> str:
    return name.replace("_", "").replace(" ", "").casefold()
