"""JSON documents in a model's reply: exactly one object, alone, in a fence or between prose.

The notations that models mix into JSON are read (single quotes, comments, Python's words, trailing commas, and without
quotes what can only be a text: `1/3`, `10-20`, `1.1.1`, a UUID); nothing is guessed: an ellipsis, a key given twice, a
missing comma or two objects are told to the model, which writes again.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from agents.protocols.text.literals import mark
from agents.protocols.text.notation import NotationError, Read, read_strict, read_value

_FENCE = re.compile(r"```[ \t]*(?:json5?|JSON5?|javascript|js|python)?[ \t]*\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)
_BRACE = re.compile(r"[{｛]")
_BEGINS = re.compile(r"[{｛]\s*(?://|#|/\*|[\"'“‘`「『＂]|[\w.-]+\s*[:：])")
"""An object and not a brace in prose."""
_ESCAPED = re.compile(r"\{\s*(?:\\n\s*)*\\\"")
_CLOSERS = ("}", "]}", "}}", "}]}", "]}}")
_WHOLE_END = frozenset("\"'}]”’")
"""A text that lacks only its last brackets ends so: a bare word or number might have gone on."""
_NONE = "the reply holds no whole JSON object"


class DocumentError(ValueError):
    """The reply holds no object, or more than one; the message says which, for the model to read."""


def the_object(text: str) -> dict[str, Any]:
    """The one JSON object in `text`. Raises DocumentError."""
    stripped = text.strip().lstrip("\ufeff")
    fenced = [one.strip() for one in _FENCE.findall(stripped)]
    why = _NONE
    try:
        for candidate in _candidates(stripped, fenced):
            if (whole := _alone(candidate)) is not None:
                return whole
        for candidate in _candidates(stripped, fenced):
            found = _objects(candidate)
            if len(found) == 1:
                return found[0]
            if found:
                raise DocumentError(f"the reply holds {len(found)} JSON objects; give one")
    except NotationError as error:
        why = f"{_NONE}: {error}"
    raise DocumentError(why)


def _candidates(text: str, fenced: list[str]) -> Iterator[str]:
    """Where the object may stand: in the only fence, in the text, in the text that was escaped as a whole."""
    if len(fenced) == 1:
        yield fenced[0]
    yield text
    if _ESCAPED.search(text):
        try:
            yield str(json.loads(f'"{text}"', strict=False))
        except ValueError:
            return


def _alone(text: str) -> dict[str, Any] | None:
    """The strictly written object that is the whole text."""
    read = read_strict(text)
    if read is None or text[read.end :].strip():
        return None
    if isinstance(read.value, dict):
        return read.value
    raise DocumentError(f"the reply is a JSON {type(read.value).__name__}, but an object is due")


def _objects(text: str) -> list[dict[str, Any]]:
    """The objects that stand in the text one after another, outermost only. Raises NotationError for a broken one."""
    found: list[dict[str, Any]] = []
    brace = _BRACE.search(text)
    while brace is not None and len(found) < 3:
        read = _object_at(text, brace.start())
        if read is not None and isinstance(read.value, dict) and read.value:
            found.append(read.value)
        brace = _BRACE.search(text, read.end if read else brace.end())
    return found


def _object_at(text: str, at: int) -> Read | None:
    """The object at `at`; None for a brace in prose. Where nothing lacks but the last brackets they are put there."""
    if strict := read_strict(text, at):
        return strict
    if not _BEGINS.match(text, at):
        return None
    try:
        return read_value(text, at, mark)
    except NotationError as error:
        stem = text.rstrip()
        if not error.cut or stem[-1] not in _WHOLE_END:
            raise
        for closers in _CLOSERS:
            try:
                return Read(read_value(stem + closers, at, mark).value, len(text))
            except NotationError:
                continue
        raise
