"""The tool `evidence.read`: pages through a stored observation, as deep and as far as the agent wants."""

from typing import Annotated, Any, cast

from pydantic import Field
from rapidfuzz import process

from agents.errors import ToolError
from agents.shrinking import Cut, shrink, size
from agents.tools.function import ToolContext, ToolResult, tool
from orchestrator.domain.finding import ObservationRef

ROOM = 6_000
"""Characters of one page."""
MOST_ITEMS = 500


@tool(
    "evidence.read",
    effect="read",
    use_when="an observation was shown in part (`more`) or a finding names one whose whole content you need",
    not_when="what you need was shown already",
)
def read(
    ref: Annotated[ObservationRef, Field(description="The observation's number.", examples=["E4.2"])],
    context: ToolContext,
    *,
    path: Annotated[
        str, Field(max_length=2_000, description="Where in its data, as a JSON pointer.", examples=["/rows"])
    ] = "",
    offset: Annotated[int, Field(ge=0, description="The first item, field or character, from 0.")] = 0,
    limit: Annotated[int | None, Field(ge=1, description="How many at most; left out: as many as fit.")] = None,
) -> ToolResult:
    """Read a part of what an earlier call returned."""
    place = _pointer(path)
    value = _at(context.observed(ref), place, ref)
    where = f"{ref}{'' if not place else ' at ' + _written(place)}"
    if isinstance(value, list):
        return _items(cast("list[Any]", value), where, offset, limit)
    if isinstance(value, dict):
        return _fields(cast("dict[str, Any]", value), where, offset, limit)
    if isinstance(value, str):
        return _characters(value, where, offset, limit)
    return _page({"kind": "value", "value": value}, f"{where} is one value.")


def _items(items: list[Any], where: str, offset: int, limit: int | None) -> ToolResult:
    total = len(items)
    if offset >= total:
        return _behind(where, "items", offset, total)
    chosen = items[offset : offset + min(limit or MOST_ITEMS, MOST_ITEMS)]
    kept, cuts = _fitting(chosen)
    page = {"kind": "list", "total": total, "offset": offset, "items": kept}
    return _paged(page, where, "items", _Range(offset, offset + len(kept), total), cuts)


def _fields(fields: dict[str, Any], where: str, offset: int, limit: int | None) -> ToolResult:
    total = len(fields)
    if total and offset >= total:
        return _behind(where, "fields", offset, total)
    names = list(fields)[offset : offset + (limit or total)]
    kept, cuts = shrink({name: fields[name] for name in names}, ROOM)
    page = {"kind": "object", "total": total, "offset": offset, "fields": kept}
    inner = [cut for cut in cuts if cut.path]
    return _paged(page, where, "fields", _Range(offset, offset + len(kept), total), inner)


def _characters(text: str, where: str, offset: int, limit: int | None) -> ToolResult:
    total = len(text)
    if total and offset >= total:
        return _behind(where, "characters", offset, total)
    part = text[offset : offset + min(limit or ROOM, ROOM)]
    while size(part, ROOM) > ROOM:
        part = part[: len(part) * 3 // 4]
    page = {"kind": "text", "total": total, "offset": offset, "text": part}
    return _paged(page, where, "characters", _Range(offset, offset + len(part), total), [])


def _fitting(items: list[Any]) -> tuple[list[Any], list[Cut]]:
    """The items that fit one page; of a first item that is too long alone, its beginning."""
    kept: list[Any] = []
    left = ROOM
    for item in items:
        needed = size(item, left) + 1
        if needed > left:
            break
        kept.append(item)
        left -= needed
    if kept or not items:
        return kept, []
    small, cuts = shrink(items[0], ROOM)
    return [small], [Cut(f"/0{cut.path}", cut.kept, cut.of, cut.unit) for cut in cuts]


class _Range:
    """What part of something is on the page: from `start` up to, not including, `end`."""

    def __init__(self, start: int, end: int, total: int) -> None:
        self.start, self.end, self.total = start, end, total

    @property
    def next(self) -> int | None:
        return self.end if self.end < self.total else None

    def told(self, unit: str) -> str:
        if self.start == 0 and self.end >= self.total:
            return f"all {self.total:,} {unit}"
        return f"{unit} {self.start:,} to {self.end - 1:,} of {self.total:,}"


def _paged(page: dict[str, Any], where: str, unit: str, part: _Range, cuts: list[Cut]) -> ToolResult:
    summary = f"{where}: {part.told(unit)}."
    if part.next is not None:
        summary += f" Go on with offset={part.next}."
    if cuts:
        deeper = ", ".join(f"{cut.kept:,} of {cut.of:,} {cut.unit} of {cut.path}" for cut in cuts[:3])
        summary += f" Shown in part: {deeper}; read those with a longer path."
    return _page({**page, "next_offset": part.next}, summary)


def _page(data: dict[str, Any], summary: str) -> ToolResult:
    return ToolResult(summary=summary, data=data, shown=data)


def _behind(where: str, unit: str, offset: int, total: int) -> ToolResult:
    told = f"the last has the number {total - 1:,}" if total else "there are none"
    summary = f"Nothing there: {where} has {total:,} {unit}, {told}; offset {offset:,} lies behind. Use a smaller one."
    return ToolResult(summary=summary, data={"total": total, "offset": offset}, empty=True)


def _pointer(path: str) -> list[str]:
    """The parts of a JSON pointer; a path with dots, as people write it, is taken too."""
    text = path.strip().removeprefix("$")
    if not text or text == "/":
        return []
    if not text.startswith("/"):
        return text.replace("[", ".").replace("]", "").strip(".").split(".")
    return [part.replace("~1", "/").replace("~0", "~") for part in text[1:].split("/")]


def _written(place: list[str]) -> str:
    return "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in place)


def _at(value: Any, place: list[str], ref: str) -> Any:
    for depth, part in enumerate(place):
        here = f"{ref}{' at ' + _written(place[:depth]) if depth else ''}"
        if isinstance(value, dict):
            fields = cast("dict[str, Any]", value)
            if part not in fields:
                raise _no_path(f"{here} has no field `{part[:60]}`", _nearest(part, list(fields)))
            value = fields[part]
        elif isinstance(value, list):
            items = cast("list[Any]", value)
            if not (part.isascii() and part.isdigit() and int(part[:9]) < len(items) and len(part) <= 9):
                raise _no_path(f"{here} is a list and has no item `{part[:60]}`", f"It has {len(items):,}, from 0 on.")
            value = items[int(part)]
        else:
            raise _no_path(f"{here} is a single value, nothing lies below it", "Use a shorter path.")
    return value


def _nearest(part: str, names: list[str]) -> str:
    if not names:
        return "It has no fields at all."
    found = [name for name, _, _ in process.extract(part, names, limit=10)]
    return "It has: " + ", ".join(f"`{name}`" for name in found) + ("…" if len(names) > 10 else ".")


def _no_path(what: str, hint: str) -> ToolError:
    return ToolError("unknown_path", what, hint=hint)
