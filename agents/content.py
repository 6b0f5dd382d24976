"""What a tool returned as plain JSON values, exactly; what cannot be stored is refused with its path."""

import dataclasses
import json
import math
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any, cast
from uuid import UUID

from pydantic import BaseModel

from agents.errors import ToolError
from agents.protocols.json_text import whole_characters

LARGEST = 50_000_000
"""Bytes of JSON text, and bytes of files, that one call may return."""
DEEPEST = 60
"""How deep values may be nested."""
LONGEST_NUMBER = 4_000
"""Digits of a number; Python itself reads no integer of more than 4,300."""

_SCALARS = frozenset({int, float, Decimal, date, datetime})
_AS_IT_IS: Mapping[type, Callable[[Any], bool]] = {
    str: str.isascii,
    int: range(-(1 << 63), 1 << 63).__contains__,
    float: math.isfinite,
    bool: (True, False).__contains__,
    type(None): (None,).__contains__,
}
"""For the types of most values: whether one is plain already. Native code alone, as results have a million values."""


def plain(value: Any, path: str = "data") -> Any:
    """`value` as dicts, lists, texts, numbers, booleans and None. Raises ToolError('unstorable_result').

    Decimals, dates, times, paths and ids become text, exactly; dataclasses and pydantic models become objects.
    """
    try:
        return _walked(value, 0)
    except _UnfitError as unfit:
        place = path + "".join(reversed(unfit.steps))
        raise ToolError(
            "unstorable_result",
            f"the tool's result cannot be stored: `{place}` {unfit.why}",
            hint="The same call gives the same result. Try other arguments or another tool, or go on without it.",
        ) from None


def dumps(value: Any) -> str:
    """Plain JSON values as compact text. Raises ToolError('too_large')."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    large = len(text) if text.isascii() else len(text.encode())
    if large > LARGEST:
        raise ToolError(
            "too_large",
            f"the result has {large:,} bytes; {LARGEST:,} can be stored",
            hint="Ask for less at once: fewer rows, fewer columns or a filter. The same call fails again.",
        )
    return text


def decimal_text(value: Decimal) -> str:
    """A finite decimal as people write it (`1200.50`, no exponent), unless that would be very long."""
    return f"{value:f}" if -100 <= value.adjusted() <= 100 else str(value)


class _UnfitError(Exception):
    """Something that JSON cannot hold; the way to it is put together while the walk unwinds."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why
        self.steps: list[str] = []


def _walked(value: Any, depth: int) -> Any:
    kind = type(value)
    if kind is str:
        return value if value.isascii() else whole_characters(value)
    if value is None or kind is bool:
        return value
    if kind is dict:
        return _object(value, depth)
    if kind is list or kind is tuple:
        return _list(value, depth)
    return _scalar(value) if kind in _SCALARS else _compound(value, depth)


def _compound(value: Any, depth: int) -> Any:
    if isinstance(value, Mapping):
        return _object(cast("Mapping[Any, Any]", value), depth)
    if isinstance(value, list | tuple):
        return _list(cast("Iterable[Any]", value), depth)
    if isinstance(value, set | frozenset):
        return sorted(_list(cast("Iterable[Any]", value), depth), key=dumps)
    if isinstance(value, BaseModel):
        return _object(value.model_dump(warnings="none"), depth)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _object({one.name: getattr(value, one.name) for one in dataclasses.fields(value)}, depth)
    return _scalar(value)


def _list(values: Iterable[Any], depth: int) -> list[Any]:
    _check_depth(depth)
    result: list[Any] = []
    for one in values:
        is_plain = _AS_IT_IS.get(type(one))
        if is_plain is not None and is_plain(one):
            result.append(one)
            continue
        try:
            result.append(_walked(one, depth + 1))
        except _UnfitError as unfit:
            unfit.steps.append(f"[{len(result)}]")
            raise
    return result


def _object(members: Mapping[Any, Any], depth: int) -> dict[str, Any]:
    _check_depth(depth)
    result: dict[str, Any] = {}
    for key, value in members.items():
        name = key if type(key) is str and key.isascii() else _key(key)
        if name in result:
            raise _UnfitError(f"has two keys that are both written `{name}`")
        is_plain = _AS_IT_IS.get(type(value))
        if is_plain is not None and is_plain(value):
            result[name] = value
            continue
        try:
            result[name] = _walked(value, depth + 1)
        except _UnfitError as unfit:
            unfit.steps.append(f".{name}")
            raise
    return result


def _check_depth(depth: int) -> None:
    if depth >= DEEPEST:
        raise _UnfitError(f"is nested deeper than {DEEPEST} levels, or contains itself")


def _key(key: Any) -> str:
    try:
        name = _scalar(key)
    except _UnfitError as unfit:
        raise _UnfitError(f"has a key that {unfit.why}") from None
    return name if isinstance(name, str) else json.dumps(name)


def _scalar(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Enum):
        return _scalar(value.value)
    if isinstance(value, str):
        return whole_characters(str(value))
    if isinstance(value, int):
        return _integer(int(value))
    if isinstance(value, float):
        return _float(float(value))
    return _text(value)


def _text(value: Any) -> str:
    """Values that JSON has no type for, as text."""
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise _UnfitError(f"is {value}")
        return decimal_text(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return f"{decimal_text(_seconds(value))} s"
    if isinstance(value, PurePath | UUID):
        return whole_characters(str(value))
    if isinstance(value, bytes | bytearray | memoryview):
        raise _UnfitError("is bytes; a tool hands those over as an artifact")
    raise _UnfitError(f"is a `{type(value).__qualname__}`, which JSON cannot hold")


def _seconds(value: timedelta) -> Decimal:
    whole = value.days * 86_400 + value.seconds
    return Decimal(whole) + Decimal(value.microseconds) / 1_000_000


def _integer(value: int) -> int:
    if value.bit_length() > LONGEST_NUMBER * 3.32:
        raise _UnfitError(f"is a number of more than {LONGEST_NUMBER:,} digits")
    return value


def _float(value: float) -> float:
    if not math.isfinite(value):
        raise _UnfitError(f"is {value}")
    return value
