"""Finds tool calls left inside a reply's text: in tags, as JSON objects, as Python calls, as markup."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from agents.protocols.text.forms import read_call
from agents.protocols.text.found import Found, call_parts
from agents.protocols.text.markup import OPENING, read_markup, read_pairs
from agents.protocols.text.notation import NotationError, Read, read_strict, read_value
from agents.protocols.text.offered import OfferedTool
from agents.protocols.text.region import Region
from agents.protocols.text.tool_names import ANSWERS, cleaned, named_tool
from agents.protocols.text.unfit import UnfitError

MOST = 30
"""Places in one reply that are looked at."""
_MARK = re.compile(
    rf"<\|?(?P<tag>tool_calls?|function_calls?)\|?>|\[TOOL_CALLS\]|<\|python_tag\|>|{OPENING}", re.IGNORECASE
)
# Qwen's coders write `<tool_call>` around `<function=…>`.
_OPENED = re.compile(r"<\|?(?:tool_calls?|function_calls?)\|?>\s*\Z", re.IGNORECASE)
_BLANK = re.compile(r"[\s;,]*(?:```[\w+-]*\s*)?")
_NAME = re.compile(r"([A-Za-z_][\w.:-]{0,79})\s*(?:\[ARGS\])?\s*(?=[{(<\[])")
_PYTHON = re.compile(r"[\[,]\s*([A-Za-z_][\w.]{0,79})\(")
_LIKE_A_CALL = re.compile(r"\{\s*[\"'“]?(?:name|tool|tool_name|function|function_name|action|type|id)[\"'”]?\s*[:：]")
BROKEN = "The reply holds the beginning of a tool call that cannot be read. Send the call again, complete."


@dataclass(frozen=True, slots=True)
class Embedded:
    """The calls, the text before the first of them, and whether a call was meant that cannot be read."""

    before: str
    calls: tuple[Found, ...] = ()
    broken: bool = False


def calls_in(text: str, tools: Sequence[OfferedTool]) -> Embedded:
    """Every call in `text`. What is no call stays text, and nothing is made up for what is broken."""
    if mark := _MARK.search(text):
        calls = _marked(text, mark, tools)
        return Embedded(
            _OPENED.sub("", text[: calls[0].start]).rstrip() if calls else text,
            tuple(calls),
            broken=not calls and _own_line(text, mark.start()),
        )
    python = _python(text, tools)
    if python is not None:
        return Embedded("" if python else text, tuple(python), broken=not python)
    calls = _objects(text, tools)
    return Embedded(_before(text, calls[0].start) if calls else text, tuple(calls))


def _before(text: str, start: int) -> str:
    return re.sub(r"\s*`{3,}[\w+-]*\s*\Z", "", text[:start]).rstrip()


def _marked(text: str, mark: re.Match[str] | None, tools: Sequence[OfferedTool]) -> list[Found]:
    """The calls behind the marks; what stands between them is no call."""
    calls: list[Found] = []
    looked = 0
    while mark and looked < MOST:
        looked += 1
        at = mark.end()
        if mark["function"] or mark["invoke"]:
            found = read_markup(text, mark, tools)
            inside = [found] if found else []
        else:
            inside = _inside(text, mark, tools)
        calls += inside
        mark = _MARK.search(text, max(at, inside[-1].end) if inside else at)
    return calls


def _inside(text: str, mark: re.Match[str], tools: Sequence[OfferedTool]) -> list[Found]:
    """The calls behind one mark: objects or a list of them, a name with its arguments, or Python calls."""
    close = text.find(f"</{mark['tag']}>", mark.end()) if mark["tag"] else -1
    end = len(text) if close < 0 else close
    found: list[Found] = []
    at = _after_blank(text, mark.end())
    while at < end and len(found) < MOST and text[at] in "{[":
        read = _read(text, at)
        if read is None:
            break
        items = cast("list[Any]", read.value) if isinstance(read.value, list) else [read.value]
        parts = [part for item in items if (part := call_parts(item))]
        found += [_found(part, tools, mark.start(), read) for part in parts]
        at = _after_blank(text, read.end)
    if not found and (name := _NAME.match(text, at)) and name.end() < end:
        found = _named(text, name, mark.start(), end, tools)
    return found or (_python(text[at:end], tools) or [] if text[at : at + 1] == "[" else [])


def _named(text: str, name: re.Match[str], start: int, end: int, tools: Sequence[OfferedTool]) -> list[Found]:
    tool = named_tool(name[1], tools)
    at = name.end()
    if text[at] == "<":
        pairs = read_pairs(Region(text, at, end), tool)
        return [Found(name[1], tool, pairs, start, end)] if pairs is not None else []
    if text[at] == "(" and tool:
        return [call] if (call := _called(text, at, name[1], tool, start)) else []
    read = _read(text, at)
    return [Found(name[1], tool, read.value, start, read.end, read.liberties)] if read else []


def _called(text: str, at: int, name: str, tool: OfferedTool, start: int) -> Found | None:
    try:
        given = read_call(text, at, tool)
    except (NotationError, UnfitError):
        return None
    return Found(name, tool, given.arguments, start, given.end, given.liberties)


def _python(text: str, tools: Sequence[OfferedTool]) -> list[Found] | None:
    """The calls of `[look(what='x'), …]` when the whole text is such a list of offered tools; None when it is not."""
    stripped = text.strip().strip("`").strip()
    first = _PYTHON.match(stripped)
    if not first or named_tool(first[1], tools) is None or not stripped.endswith("]"):
        return None
    calls: list[Found] = []
    offset, broken = text.index(stripped), False
    at, looked = 0, 0
    while (name := _PYTHON.search(stripped, at)) and looked < MOST:
        looked += 1
        tool = named_tool(name[1], tools)
        call = _called(stripped, name.end() - 1, name[1], tool, offset) if tool else None
        at = call.end if call else name.end()
        calls += [call] if call else []
        broken = broken or call is None
    if not broken and stripped[at:].strip() != "]":
        return []  # a bracket too many
    # Beside a broken call only those are kept that do no harm if they were meant otherwise.
    return [call for call in calls if not broken or (call.tool and call.tool.effect == "read")]


def _objects(text: str, tools: Sequence[OfferedTool]) -> list[Found]:
    """Outermost JSON objects that call an offered tool; one with an effect only where nothing but calls follows."""
    found: list[Found] = []
    at = text.find("{")
    for _ in range(MOST):
        if at < 0:
            break
        read = _read(text, at) if _LIKE_A_CALL.match(text, at) else _strict(text, at)
        part = call_parts(read.value) if read else None
        if read and part and (named_tool(part[0], tools) or cleaned(part[0]).casefold() in ANSWERS):
            found.append(_found(part, tools, at, read))
        at = text.find("{", read.end if read else at + 1)
    if found and (text[found[-1].end :].strip(" \t\r\n`;,]") or not _own_line(text, found[0].start)):
        return [call for call in found if call.tool is None or call.tool.effect == "read"]
    return found


def _own_line(text: str, start: int) -> bool:
    return not text[text.rfind("\n", 0, start) + 1 : start].strip(" \t`[")


def _found(part: tuple[str, object], tools: Sequence[OfferedTool], start: int, read: Read) -> Found:
    return Found(part[0], named_tool(part[0], tools), part[1], start, read.end, read.liberties)


def _after_blank(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at


def _read(text: str, at: int) -> Read | None:
    try:
        return read_value(text, at)
    except NotationError:
        return None


def _strict(text: str, at: int) -> Read | None:
    try:
        return read_strict(text, at)
    except NotationError:
        return None
