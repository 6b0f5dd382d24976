"""Takes strings out of a text or a JSON value and puts a mark in their place."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, cast

MARK = "▒▒▒ [withheld]"
_MARKS = (MARK, "▒▒▒", "███", "•••", "…", "")
_FEWEST_DIGITS = 6

T = TypeVar("T")


def redact(value: T, strings: Iterable[str]) -> T:
    """The same value with every occurrence of the strings replaced in all its texts; keys stay as they are.

    A number whose digits are one of the strings becomes the mark too: a card is a card without quotation marks.
    """
    sought = tuple(sorted({text for text in strings if text.strip()}, key=lambda text: (-len(text), text)))
    return cast("T", _redacted(value, sought)) if sought else value


def _redacted(value: Any, sought: tuple[str, ...]) -> Any:
    if isinstance(value, str):
        return _without(value, sought)
    if isinstance(value, Mapping):
        return {key: _redacted(item, sought) for key, item in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, list):
        return [_redacted(item, sought) for item in cast("list[Any]", value)]
    if isinstance(value, tuple):
        return tuple(_redacted(item, sought) for item in cast("tuple[Any, ...]", value))
    if (
        isinstance(value, int)
        and not isinstance(value, bool)
        and str(value) in sought
        and len(str(value)) >= _FEWEST_DIGITS
    ):
        return _without(str(value), sought)
    return value


def _without(text: str, sought: tuple[str, ...]) -> str:
    if not any(one in text for one in sought):
        return text
    spans = _merged(text, sought)
    redacted = ""
    for mark in _MARKS:
        redacted = _replaced(text, spans, mark)
        # A mark may hold one of the strings itself, or make one with what stands beside it.
        if not any(one in redacted for one in sought):
            return redacted
    return _without(redacted, sought)


def _merged(text: str, sought: tuple[str, ...]) -> list[tuple[int, int]]:
    """Where the strings stand; those that overlap are one, or the end of the second would be left."""
    found = sorted(
        (match.start(), match.start() + len(one))
        for one in sought
        for match in re.finditer(f"(?={re.escape(one)})", text)
    )
    spans: list[tuple[int, int]] = []
    for start, end in found:
        if spans and start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((start, end))
    return spans


def _replaced(text: str, spans: list[tuple[int, int]], mark: str) -> str:
    pieces: list[str] = []
    at = 0
    for start, end in spans:
        pieces += (text[at:start], mark)
        at = end
    return "".join((*pieces, text[at:]))
