"""Reads the arguments of one native call, strictly: a JSON object or nothing; what is wrong is said, never guessed."""

import json
from dataclasses import dataclass, field
from typing import Any, cast

from agents.protocols.json_text import non_finite, whole_value

SHOWN = 200
"""Characters of a bad text that are quoted back."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """`value` when the text held an object; otherwise `malformed`, the raw text."""

    value: dict[str, Any] = field(default_factory=dict[str, Any])
    malformed: str | None = None


class _BadArgumentsError(ValueError):
    """The text is no usable object; the message says why."""


def read_arguments(raw: object) -> Arguments:
    """The arguments as a server sent them: text or, from some servers, the object itself.

    Empty text means no arguments. An object encoded twice is decoded; any other value is malformed.
    """
    if isinstance(raw, str):
        try:
            return Arguments(_object(raw))
        except _BadArgumentsError:
            return Arguments(malformed=raw)
    if isinstance(raw, dict):
        value = cast("dict[str, Any]", raw)
        if non_finite(value) is None:
            return Arguments(whole_value(value))
    return Arguments(malformed=json.dumps(raw, ensure_ascii=False))


def why_malformed(raw: str) -> str:
    """One sentence for the model about what is wrong with the arguments it sent, and how they are to look."""
    try:
        _object(raw)
    except _BadArgumentsError as error:
        shown = raw if len(raw) <= SHOWN else raw[:SHOWN] + "…"
        return f"The arguments must be one JSON object, but {error}: {shown}"
    return "The arguments were a JSON object."


def _object(text: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    value = _decoded(text)
    if isinstance(value, str) and value.lstrip().startswith("{"):
        value = _decoded(value)
    if not isinstance(value, dict):
        raise _BadArgumentsError(f"they were {_kind(value)}")
    if path := non_finite(value):
        raise _BadArgumentsError(f"the number at {path} is NaN or Infinity")
    return whole_value(value) if "\\u" in text else value


def _decoded(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_unique, strict=False)
    except json.JSONDecodeError as error:
        raise _BadArgumentsError(f"they were no valid JSON ({error.msg} at character {error.pos + 1})") from None
    except _BadArgumentsError:
        raise
    except ValueError as error:  # more digits than Python reads
        raise _BadArgumentsError(f"they were no valid JSON ({error})") from None
    except RecursionError:
        raise _BadArgumentsError("they were nested too deep") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))
        raise _BadArgumentsError(f"the key `{twice}` was given twice")
    return value


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, list):
        return "a list"
    return "a text" if isinstance(value, str) else "a number"
