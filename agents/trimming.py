"""What of a result an agent reads at once: a summary, then as much as fits, as one line of JSON inside a fence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.fences import encoded, fenced, parse_shown
from agents.shrinking import Cut, cut_text, shrink

__all__ = ["LIMIT", "LIMIT_CHOSEN", "Whole", "parse_shown", "show", "show_error"]

LIMIT = 2_000
"""Characters of an observation that an agent reads at once."""
LIMIT_CHOSEN = 8_000
"""The same when the tool itself chose what to show."""
_MORE_ROOM = 400


@dataclass(frozen=True, slots=True)
class Whole:
    """What there is to show of one result."""

    ref: str
    tool: str
    summary: str
    data: Any
    size: int
    """Characters of the whole result as it is stored."""
    chosen: bool = False
    """True when `data` is what the tool chose to show: it may be longer."""
    partial: bool = False
    """True when the store holds more than `data`."""
    empty: bool = False
    """True when nothing was found."""
    artifacts: tuple[str, ...] = ()
    readable: bool = True
    """True when the agent has the tool that reads more of a result."""


def show(whole: Whole, limit: int | None = None) -> str:
    """The observation as the agent reads it: at most `limit` characters, one JSON object inside a fence."""
    room = limit or (LIMIT_CHOSEN if whole.chosen else LIMIT)
    room -= _overhead(whole.ref, whole.tool)
    body: dict[str, Any] = {"ref": whole.ref, "ok": True, "summary": cut_text(whole.summary, room // 3) or ""}
    if whole.empty:
        body["empty"] = True
    if whole.artifacts:
        body["artifacts"] = shrink(list(whole.artifacts), room // 4)[0]
    data, cuts = _fitted(whole, body, room)
    body["data"] = data
    if cuts or whole.partial:
        left = room - len(encoded(body)) - len(',"more":')
        more = cut_text(_more(whole, cuts), left)
        body |= {} if more is None else {"more": more}
    return fenced("observation", {"ref": whole.ref, "tool": whole.tool}, encoded(body))


def show_error(ref: str, tool: str, error: Mapping[str, Any], limit: int = LIMIT) -> str:
    """A failed call as the agent reads it."""
    room = limit - _overhead(ref, tool) - len(encoded({"ref": ref, "ok": False, "error": ""})) + 2
    told, _ = shrink(dict(error), room)
    return fenced("observation", {"ref": ref, "tool": tool}, encoded({"ref": ref, "ok": False, "error": told}))


def _fitted(whole: Whole, body: Mapping[str, Any], room: int) -> tuple[Any, tuple[Cut, ...]]:
    left = room - len(encoded({**body, "data": ""})) + 2
    data, cuts = shrink(whole.data, left - (_MORE_ROOM if whole.partial else 0))
    if not cuts or whole.partial:
        return data, cuts
    return shrink(whole.data, left - min(_MORE_ROOM, left // 2))


def _overhead(ref: str, tool: str) -> int:
    return len(fenced("observation", {"ref": ref, "tool": tool}, ""))


def _more(whole: Whole, cuts: Sequence[Cut]) -> str:
    left_out = "; ".join(f"{cut.kept:,} of {cut.of:,} {cut.unit} of data{cut.path}" for cut in cuts[:3])
    said = f"{whole.ref}, {whole.size:,} characters" + (f"; shown: {left_out}" if left_out else "")
    if not whole.readable:
        return said
    first = None if whole.partial or not cuts else cuts[0]
    path = f', path="{first.path}"' if first and first.path else ""
    offset = f", offset={first.kept}" if first and first.unit != "fields" else ""
    return f'{said}; read more with evidence.read(ref="{whole.ref}"{path}{offset})'
