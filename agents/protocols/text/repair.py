"""Decides when a guess at broken JSON may be used: only where nothing but punctuation was missing, and no numbers."""

import re
from collections.abc import Mapping
from typing import Any, cast

from json_repair import repair_json

from agents.protocols.nested import kinds
from agents.protocols.text.notation import NotationError, Read, read_strict

LONGEST = 2_000
"""Characters that are repaired; the library's time grows with their square."""
MOST_BRACKETS = 200
_LEFT_OUT = re.compile(r"\.\.\.|…")
_WRITTEN = re.compile(r"[^\W_]")
_QUOTES = "'\"`“”‘’ \t\r\n"
_NUMERIC = frozenset({"integer", "number"})


def repaired(text: str, schemas: Mapping[str, Mapping[str, Any]]) -> Read | None:
    """The object that `text` was meant to be; None when that would be a guess at what it says.

    Too bold are: output that may be cut off, anything left out (`...`), a number or an argument that takes one,
    two values instead of one, and every repair that loses, adds or reorders a letter or a digit.
    """
    text = text.strip()
    whole = text.startswith("{") and text.endswith("}")
    if not whole or len(text) > LONGEST or sum(map(text.count, "{[")) > MOST_BRACKETS or _LEFT_OUT.search(text):
        return None
    try:
        value = repair_json(text, return_objects=True, skip_json_loads=True)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    if _holds_number(value) or any(kinds(schemas.get(name, {})) & _NUMERIC for name in value):
        return None
    if _signs(text) != _signs_of(value) or _odd_quotes(value):
        return None
    return Read(value, len(text), frozenset({"broken JSON"}))


def twice(text: str) -> bool:
    """True when another object begins in what stands behind a value."""
    if text.lstrip(" \t\r\n,;；，").startswith(("{", "｛")):
        return True
    at = text.find("{")
    for _ in range(20):
        if at < 0:
            return False
        try:
            read = read_strict(text, at)
        except NotationError:
            return True
        if read is not None and read.value:
            return True
        at = text.find("{", at + 1)
    return False


def _holds_number(value: object) -> bool:
    if isinstance(value, dict):
        return any(_holds_number(item) for item in cast("dict[str, object]", value).values())
    if isinstance(value, list):
        return any(_holds_number(item) for item in cast("list[object]", value))
    return isinstance(value, int | float) and not isinstance(value, bool)


def _signs(text: str) -> str:
    """The letters and digits of broken JSON in their order; an escape counts as what it stands for."""
    return "".join(_WRITTEN.findall(re.sub(r"\\[nrtbf]", "", text))).casefold()


def _signs_of(value: object) -> str:
    if isinstance(value, dict):
        members = cast("dict[str, object]", value)
        return "".join(_signs_of(key) + _signs_of(item) for key, item in members.items())
    if isinstance(value, list):
        return "".join(_signs_of(item) for item in cast("list[object]", value))
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return "".join(_WRITTEN.findall(str(value))).casefold()


def _odd_quotes(value: object) -> bool:
    """True when a text begins or ends with a quote, which was more likely meant as the text's end."""
    if isinstance(value, dict):
        return any(_odd_quotes(part) for pair in cast("dict[str, object]", value).items() for part in pair)
    if isinstance(value, list):
        return any(_odd_quotes(item) for item in cast("list[object]", value))
    return isinstance(value, str) and value.strip() != value.strip(_QUOTES)
