"""JSON documents in a model's reply: exactly one object, alone, in a fence or between prose; nothing is guessed."""

import json
import re
from typing import Any

_FENCE = re.compile(r"```(?:json|JSON)?[ \t]*\n(.*?)\n[ \t]*```", re.DOTALL)
_DECODER = json.JSONDecoder(strict=False, parse_constant=lambda name: _refuse(name))  # noqa: PLW0108  # defined below


class DocumentError(ValueError):
    """The reply holds no object, or more than one; the message says which, for the model to read."""


def the_object(text: str) -> dict[str, Any]:
    """The one JSON object in `text`. Raises DocumentError."""
    stripped = text.strip()
    fenced = _FENCE.findall(stripped)
    for candidate in [stripped, *fenced] if len(fenced) <= 1 else [stripped]:
        try:
            value = _DECODER.decode(candidate.strip())
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            return value
        raise DocumentError(f"the reply is a JSON {type(value).__name__}, but an object is due")
    found = _objects(stripped)
    if len(found) == 1:
        return found[0]
    if found:
        raise DocumentError(f"the reply holds {len(found)} JSON objects; give one")
    raise DocumentError("the reply holds no whole JSON object")


def _objects(text: str) -> list[dict[str, Any]]:
    """The objects that stand in the text one after another, outermost only."""
    found: list[dict[str, Any]] = []
    at = text.find("{")
    while at != -1 and len(found) < 3:
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            if isinstance(value, dict) and value:
                found.append(value)
        at = text.find("{", end)
    return found


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")
