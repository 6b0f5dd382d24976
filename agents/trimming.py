"""What of a result an agent reads at once: trimmed by rule to fields, rows and characters that fit, and still JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from agents.fences import encoded, fenced, parse_shown

__all__ = ["LIMIT", "LIMIT_CHOSEN", "Cut", "Whole", "parse_shown", "show", "show_error", "shrink"]

LIMIT = 2_000
"""Characters of an observation that an agent reads at once."""
LIMIT_CHOSEN = 8_000
"""The same when the tool itself chose what to show."""
_SHORT_LIST = 5
_MORE_ROOM = 400

Unit = Literal["items", "fields", "characters"]


@dataclass(frozen=True, slots=True)
class Cut:
    """Something left out: of the value at `path` the first `kept` of `of` are shown."""

    path: str
    kept: int
    of: int
    unit: Unit


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
    """True when `data` is what the tool chose to show, and the store holds more."""
    artifacts: tuple[str, ...] = ()
    readable: bool = True
    """True when the agent has the tool that reads more of a result."""


def show(whole: Whole, limit: int | None = None) -> str:
    """The observation as the agent reads it: at most `limit` characters, one JSON object inside a fence."""
    room = limit or (LIMIT_CHOSEN if whole.chosen else LIMIT)
    room -= _overhead(whole.ref, whole.tool)
    body: dict[str, Any] = {"ref": whole.ref, "ok": True, "summary": _cut_text(whole.summary, room // 3) or ""}
    if whole.artifacts:
        body["artifacts"] = shrink(list(whole.artifacts), room // 4)[0]
    data, cuts = _fitted(whole, body, room)
    body["data"] = data
    if cuts or whole.chosen:
        left = room - len(encoded(body)) - len(',"more":')
        more = _cut_text(_more(whole, cuts), left)
        body |= {} if more is None else {"more": more}
    return fenced("observation", {"ref": whole.ref, "tool": whole.tool}, encoded(body))


def show_error(ref: str, tool: str, error: Mapping[str, Any], limit: int = LIMIT) -> str:
    """A failed call as the agent reads it."""
    room = limit - _overhead(ref, tool) - len(encoded({"ref": ref, "ok": False, "error": ""})) + 2
    told, _ = shrink(dict(error), room)
    return fenced("observation", {"ref": ref, "tool": tool}, encoded({"ref": ref, "ok": False, "error": told}))


def shrink(value: Any, room: int) -> tuple[Any, tuple[Cut, ...]]:
    """`value` (plain JSON) in at most `room` characters of JSON text, and what was left out; None if nothing fits.

    Small fields are kept whole, large ones share what is left; of a long list the first rows stay; texts are cut.
    """
    cuts: list[Cut] = []
    kept = _shrunk(value, room, "", cuts)
    ordered = sorted(cuts, key=lambda cut: cut.path.count("/"))
    return (None if kept is _NOTHING else kept), tuple(ordered)


def size(value: Any, cap: int) -> int:
    """Characters of the JSON text of `value`; some number above `cap` as soon as it is longer than that."""
    total = 0
    stack = [value]
    while stack and total <= cap:
        one = stack.pop()
        if isinstance(one, dict):
            members = cast("dict[str, Any]", one)
            total += 1 + 2 * len(members) if members else 2
            if total <= cap:
                total += sum(_text_size(key, cap) for key in members)
                stack.extend(members.values())
        elif isinstance(one, list):
            items = cast("list[Any]", one)
            total += 1 + len(items) if items else 2
            if total <= cap:
                stack.extend(items)
        elif isinstance(one, str):
            total += _text_size(one, cap)
        else:
            total += len(encoded(one))
    return total


class _Nothing:
    """Stands for a value of which not even a beginning fits."""


_NOTHING = _Nothing()


def _fitted(whole: Whole, body: Mapping[str, Any], room: int) -> tuple[Any, tuple[Cut, ...]]:
    left = room - len(encoded({**body, "data": ""})) + 2
    data, cuts = shrink(whole.data, left - (_MORE_ROOM if whole.chosen else 0))
    if not cuts or whole.chosen:
        return data, cuts
    return shrink(whole.data, left - min(_MORE_ROOM, left // 2))


def _overhead(ref: str, tool: str) -> int:
    return len(fenced("observation", {"ref": ref, "tool": tool}, ""))


def _more(whole: Whole, cuts: Sequence[Cut]) -> str:
    left_out = "; ".join(f"{cut.kept:,} of {cut.of:,} {cut.unit} of data{cut.path}" for cut in cuts[:3])
    said = f"{whole.ref}, {whole.size:,} characters" + (f"; shown: {left_out}" if left_out else "")
    if not whole.readable:
        return said
    first = None if whole.chosen or not cuts else cuts[0]
    path = f', path="{first.path}"' if first and first.path else ""
    offset = f", offset={first.kept}" if first and first.unit != "fields" else ""
    return f'{said}; read more with evidence.read(ref="{whole.ref}"{path}{offset})'


def _shrunk(value: Any, room: int, path: str, cuts: list[Cut]) -> Any:
    if size(value, room) <= room:
        return value
    if isinstance(value, str):
        text = _cut_text(value, room)
        if text is None:
            return _NOTHING
        cuts.append(Cut(path, max(0, len(text) - 1), len(value), "characters"))
        return text
    if isinstance(value, list):
        return _shrunk_list(cast("list[Any]", value), room, path, cuts)
    if isinstance(value, dict):
        return _shrunk_object(cast("dict[str, Any]", value), room, path, cuts)
    return _NOTHING


def _shrunk_list(items: list[Any], room: int, path: str, cuts: list[Cut]) -> Any:
    if room < 2:
        return _NOTHING
    kept: list[Any] = []
    left = room - 1
    if len(items) <= _SHORT_LIST:
        shares = _shares([size(item, room) + 1 for item in items], left)
        for index, item in enumerate(items):
            small = _shrunk(item, shares[index] - 1, _joined(path, index), cuts)
            if small is _NOTHING:
                break
            kept.append(small)
    else:
        for index, item in enumerate(items):
            if size(item, left - 1) > left - 1:
                small = _shrunk(item, left - 1, _joined(path, index), cuts) if index == 0 else _NOTHING
                kept += [] if small is _NOTHING else [small]
                break
            kept.append(item)
            left -= size(item, left - 1) + 1
    if len(kept) < len(items):
        cuts.append(Cut(path, len(kept), len(items), "items"))
    return kept


def _shrunk_object(members: dict[str, Any], room: int, path: str, cuts: list[Cut]) -> Any:
    if room < 2:
        return _NOTHING
    left = room - 1
    costs: dict[str, int] = {}
    for name in members:
        cost = _text_size(name, room) + 2
        if cost + 2 > left:
            break
        costs[name] = cost
        left -= cost + 2
    left += 2 * len(costs)
    shares = _shares([size(members[name], room) for name in costs], left)
    kept: dict[str, Any] = {}
    for name, share in zip(costs, shares, strict=True):
        small = _shrunk(members[name], share, _joined(path, name), cuts)
        if small is not _NOTHING:
            kept[name] = small
    if len(kept) < len(members):
        cuts.append(Cut(path, len(kept), len(members), "fields"))
    return kept


def _shares(sizes: Sequence[int], room: int) -> list[int]:
    """Divide `room`: whoever needs less than an even part gets what it needs, the others share the rest."""
    shares = [0] * len(sizes)
    left = max(0, room)
    order = sorted(range(len(sizes)), key=lambda index: sizes[index])
    for done, index in enumerate(order):
        shares[index] = min(sizes[index], left // (len(order) - done))
        left -= shares[index]
    return shares


def _cut_text(text: str, room: int) -> str | None:
    """The beginning of `text` and `…` in at most `room` characters of JSON; None when that is not even one sign."""
    if _text_size(text, room) <= room:
        return text
    keep = min(len(text), room - 3)
    while keep > 0:
        cut = text[:keep] + "…"
        over = len(encoded(cut)) - room
        if over <= 0:
            return cut
        keep -= max(1, over // 6)
    return None


def _text_size(text: str, cap: int) -> int:
    return len(encoded(text)) if len(text) <= cap else cap + 1


def _joined(path: str, part: str | int) -> str:
    """One part further down, as a JSON pointer (RFC 6901)."""
    return f"{path}/{str(part).replace('~', '~0').replace('/', '~1')}"
