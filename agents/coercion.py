"""Turns arguments into what a tool's schema asks for, where there is exactly one way to read them; never a guess."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from typing import Any, cast

from agents.protocols.nested import kind_of, kinds, unnested
from agents.tools.builtin.tables.dates import DateFormat, Order

_WHOLE = re.compile(r"[+-]?\d{1,40}")
_NUMBER = re.compile(r"[+-]?(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][+-]?\d{1,3})?")
_GROUPED = re.compile(r"[+-]?\d{1,3}(?:[,.]\d{3})+|[+-]?\d+,\d+")
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)|(?<!\d)\d{8}(?!\d)")
_SEPARATORS = (";", "；", "\n", "、", "，", ",")
_OBSERVATION = r"^E\d+\.\d+$"
"""The pattern of a reference to an observation."""
_REFERENCE = re.compile(r"\[\s*[Ee]([0-9]+\.[0-9]+)\s*\]|[Ee]([0-9]+\.[0-9]+)")
_LOOSE = re.compile(r"[\W_]+")
_ORDERS: tuple[Order, ...] = ("dmy", "mdy", "ymd")
_TRUE, _FALSE = frozenset({"true", "yes", "是", "真"}), frozenset({"false", "no", "否", "假"})

Schema = Mapping[str, Any]


def coerced(value: Any, schema: Schema) -> Any:
    """`value` as the inlined `schema` takes it; `value` itself where it fits already, or no single reading does."""
    value = unnested(value, schema)
    if aliases := schema.get("aliases"):
        value = _alias(value, aliases)
    if options := schema.get("anyOf", schema.get("oneOf")):
        return _of_options(value, options)
    if "enum" in schema or "const" in schema:
        return _choice(value, schema.get("enum", [schema.get("const")]))
    if isinstance(value, Mapping) and schema.get("type") == "object":
        return _members(cast("Mapping[str, Any]", value), schema)
    turn = _TURNS.get(str(schema.get("type")))
    return turn(value, schema) if turn else value


def one_date(text: str) -> date | None:
    """The date that a text spells, when every order of day, month and year that reads it gives the same."""
    if ":" in text or not _YEAR.search(text):
        return None
    found = {order: day for order in _ORDERS if (day := DateFormat(order, text).read(text))}
    if len(set(found.values())) == 1:
        return next(iter(found.values()))
    # Nobody writes the month first with dots.
    return found.get("dmy") if "." in text and "/" not in text else None


def _members(value: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    properties: Mapping[str, Schema] = schema.get("properties", {})
    others = schema.get("additionalProperties")
    members = {
        name: coerced(item, properties.get(name, cast("Schema", others) if isinstance(others, Mapping) else {}))
        for name, item in value.items()
    }
    left_out = [name for name, item in members.items() if item is None and _may_go(name, schema)]
    return {name: item for name, item in members.items() if name not in left_out}


def _may_go(name: str, schema: Schema) -> bool:
    """True for null where a value with a default is due: `None` in a model's mouth means `not given`."""
    given = schema.get("properties", {}).get(name)
    if given is None or name in schema.get("required", ()):
        return False
    wanted = kinds(given)
    return bool(wanted) and "null" not in wanted


def _of_options(value: Any, options: Sequence[Schema]) -> Any:
    if any(fits(value, option) for option in options):
        inside = [option for option in options if kind_of(value) in kinds(option)]
        nested = len(inside) == 1 and isinstance(value, dict | list)
        return coerced(cast("Any", value), inside[0]) if nested else value
    results: list[Any] = []
    for option in options:
        result = coerced(value, option)
        if fits(result, option) and result not in results:
            results.append(result)
    return results[0] if len(results) == 1 else value


def fits(value: Any, schema: Schema) -> bool:
    """True when a value is of a kind that the schema takes, and one of its choices or a date where it wants them."""
    if options := schema.get("anyOf", schema.get("oneOf")):
        return any(fits(value, option) for option in options)
    if "enum" in schema or "const" in schema:
        return value in schema.get("enum", [schema.get("const")])
    wanted = kinds(schema)
    kind = kind_of(value)
    if wanted and kind not in wanted and not (kind == "integer" and "number" in wanted):
        return False
    if kind == "string" and schema.get("format") == "date":
        return _is_iso(cast("str", value))
    return True


def _is_iso(text: str) -> bool:
    try:
        return datetime.strptime(text, "%Y-%m-%d").date().isoformat() == text  # noqa: DTZ007  # a date has no zone
    except ValueError:
        return False


def _alias(value: Any, aliases: Mapping[str, Any]) -> Any:
    """What the tool says that a word stands for, such as a choice in another language."""
    if not isinstance(value, str):
        return value
    known = {_folded(word): meaning for word, meaning in aliases.items()}
    return known.get(_folded(value), value)


def _choice(value: Any, choices: Sequence[Any]) -> Any:
    if value in choices or not isinstance(value, str):
        return value
    same = [choice for choice in choices if _folded(str(choice)) == _folded(value)]
    return same[0] if len(same) == 1 and _folded(value) else value


def _folded(word: str) -> str:
    return _LOOSE.sub("", word).casefold()


def _text(value: Any, schema: Schema) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and schema.get("pattern") == _OBSERVATION:
        return _reference(value)
    if isinstance(value, str) and schema.get("format") == "date" and not _is_iso(value):
        found = one_date(value)
        return found.isoformat() if found else value
    return value


def _reference(text: str) -> str:
    """`E2.1`, written as an answer cites it, `[E2.1]`, or with a small letter."""
    found = _REFERENCE.fullmatch(text.strip())
    return f"E{found[1] or found[2]}" if found else text


def _whole(value: Any, schema: Schema) -> Any:
    del schema
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if not isinstance(value, str):
        return value
    written = value.strip()
    if written.endswith(".0"):
        written = written[:-2]
    return int(written) if _WHOLE.fullmatch(written) else value


def _number(value: Any, schema: Schema) -> Any:
    del schema
    if not isinstance(value, str) or not _NUMBER.fullmatch(value.strip()):
        return value
    return int(value) if _WHOLE.fullmatch(value.strip()) else _finite(float(value), value)


def _finite(number: float, value: str) -> Any:
    return number if abs(number) < float("inf") else value


def _truth(value: Any, schema: Schema) -> Any:
    del schema
    word = value.strip().casefold() if isinstance(value, str) else ""
    return True if word in _TRUE else False if word in _FALSE else value


def _list(value: Any, schema: Schema) -> Any:
    items: Schema = schema.get("items", {})
    if isinstance(value, list):
        return [coerced(item, items) for item in cast("list[Any]", value)]
    if isinstance(value, Mapping) and "object" in kinds(items):
        return [coerced(cast("Any", value), items)]
    if not isinstance(value, str) or not value.strip() or "object" in kinds(items):
        return value
    numeric = bool(kinds(items) & {"integer", "number"})
    if numeric and _GROUPED.fullmatch(value.strip()):
        return value  # `1,234` is one number or two
    parts = [coerced(part, items) for part in _split(value)]
    return parts if all(fits(part, items) for part in parts) else value


def _split(text: str) -> list[str]:
    separator = next((sign for sign in _SEPARATORS if sign in text.strip()), None)
    parts = text.split(separator) if separator else [text]
    return [part.strip() for part in parts if part.strip()]


_TURNS: Mapping[str, Callable[[Any, Schema], Any]] = {
    "string": _text,
    "integer": _whole,
    "number": _number,
    "boolean": _truth,
    "array": _list,
}
