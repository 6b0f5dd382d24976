"""Fits a JSON value into so many characters by rule, so that it stays JSON and says what was left out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from agents.fences import encoded

Unit = Literal["items", "fields", "characters"]
_SHORT_LIST = 5
"""A list of so few items is shared out like fields; of a longer one the first rows are kept whole."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Something left out: of the value at `path` the first `kept` of `of` are shown."""

    path: str
    kept: int
    of: int
    unit: Unit


def shrink(value: Any, room: int) -> tuple[Any, tuple[Cut, ...]]:
    """`value` (plain JSON) in at most `room` characters of JSON text, and what was left out; None if nothing fits.

    Small fields are kept whole, large ones share what is left; of a long list the first rows stay; texts are cut.
    """
    cuts: list[Cut] = []
    kept = _shrunk(value, room, "", cuts)
    if kept is _NOTHING:
        return None, (Cut("", 0, 1, "items"),)
    return kept, tuple(sorted(cuts, key=lambda cut: cut.path.count("/")))


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


def _shrunk(value: Any, room: int, path: str, cuts: list[Cut]) -> Any:
    if size(value, room) <= room:
        return value
    if isinstance(value, str):
        text = cut_text(value, room)
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


def cut_text(text: str, room: int) -> str | None:
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
