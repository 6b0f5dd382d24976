"""What a tool returned as plain JSON values, exactly; what cannot be stored is refused with its path."""

import dataclasses
import json
import math
from collections.abc import Iterable, Mapping
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
"""Characters of JSON text, and bytes of files, that one call may return."""
DEEPEST = 60
"""How deep values may be nested."""
LONGEST_NUMBER = 4_000
"""Digits of a number; Python itself reads no integer of more than 4,300."""


def plain(value: Any, path: str = "data") -> Any:
    """`value` as dicts, lists, texts, numbers, booleans and None. Raises ToolError('unstorable_result').

    Decimals, dates, times, paths and ids become text, exactly; dataclasses and pydantic models become objects.
    """
    return _Walk().walk(value, path, 0)


def dumps(value: Any) -> str:
    """Plain JSON values as compact text. Raises ToolError('too_large')."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    if len(text) > LARGEST:
        raise ToolError(
            "too_large",
            f"the result has {len(text):,} characters; {LARGEST:,} can be stored",
            hint="Ask for less at once: fewer rows, fewer columns or a filter. The same call fails again.",
        )
    return text


def decimal_text(value: Decimal) -> str:
    """A finite decimal as people write it (`1200.50`, no exponent), unless that would be very long."""
    exponent = cast("int", value.as_tuple().exponent)
    return f"{value:f}" if -100 <= exponent <= 100 else str(value)


class _Walk:
    """One pass over a value; refuses what JSON cannot hold."""

    def walk(self, value: Any, path: str, depth: int) -> Any:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, Enum):
            return self.walk(value.value, path, depth)
        if isinstance(value, str):
            return whole_characters(str(value))
        if isinstance(value, int):
            return _integer(int(value), path)
        if isinstance(value, float):
            return _float(float(value), path)
        if depth >= DEEPEST:
            raise _unstorable(path, f"is nested deeper than {DEEPEST} levels, or contains itself")
        return self._compound(value, path, depth)

    def _compound(self, value: Any, path: str, depth: int) -> Any:
        if isinstance(value, Mapping):
            return self._object(cast("Mapping[Any, Any]", value), path, depth)
        if isinstance(value, list | tuple):
            return self._list(cast("Iterable[Any]", value), path, depth)
        if isinstance(value, set | frozenset):
            members = self._list(cast("Iterable[Any]", value), path, depth)
            return sorted(members, key=dumps)
        if isinstance(value, BaseModel):
            return self._object(value.model_dump(warnings="none"), path, depth)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = {one.name: getattr(value, one.name) for one in dataclasses.fields(value)}
            return self._object(fields, path, depth)
        return _scalar(value, path)

    def _list(self, values: Iterable[Any], path: str, depth: int) -> list[Any]:
        return [self.walk(one, f"{path}[{index}]", depth + 1) for index, one in enumerate(values)]

    def _object(self, members: Mapping[Any, Any], path: str, depth: int) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key, value in members.items():
            name = self._key(key, path)
            if name in result:
                raise _unstorable(path, f"has two keys that are both written `{name}`")
            result[name] = self.walk(value, f"{path}.{name}", depth + 1)
        return result

    def _key(self, key: Any, path: str) -> str:
        name = self.walk(key, f"{path} (a key)", DEEPEST)
        if isinstance(name, str):
            return name
        return json.dumps(name)


def _scalar(value: Any, path: str) -> str:
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise _unstorable(path, f"is {value}")
        return decimal_text(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return f"{decimal_text(_seconds(value))} s"
    if isinstance(value, PurePath | UUID):
        return whole_characters(str(value))
    if isinstance(value, bytes | bytearray | memoryview):
        raise _unstorable(path, "is bytes; a tool hands those over as an artifact")
    raise _unstorable(path, f"is a `{type(value).__qualname__}`, which JSON cannot hold")


def _seconds(value: timedelta) -> Decimal:
    whole = value.days * 86_400 + value.seconds
    return Decimal(whole) + Decimal(value.microseconds) / 1_000_000


def _integer(value: int, path: str) -> int:
    if value.bit_length() > LONGEST_NUMBER * 3.32:
        raise _unstorable(path, f"is a number of more than {LONGEST_NUMBER:,} digits")
    return value


def _float(value: float, path: str) -> float:
    if not math.isfinite(value):
        raise _unstorable(path, f"is {value}")
    return value


def _unstorable(path: str, why: str) -> ToolError:
    return ToolError(
        "unstorable_result",
        f"the tool's result cannot be stored: `{path}` {why}",
        hint="The same call gives the same result. Try other arguments or another tool, or go on without it.",
    )
