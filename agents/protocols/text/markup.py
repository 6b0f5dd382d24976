"""Reads calls written as markup: `<function=NAME><parameter=KEY>…`, `<invoke name="NAME">…`, `<arg_key>…`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.protocols.nested import kind_of, kinds
from agents.protocols.text.found import Found
from agents.protocols.text.notation import NotationError, read_value
from agents.protocols.text.offered import OfferedTool, Parameters
from agents.protocols.text.region import Region
from agents.protocols.text.tool_names import named_tool


@dataclass(frozen=True, slots=True)
class _Notation:
    """How one kind of markup opens an argument, naming it, and closes it."""

    opening: re.Pattern[str]
    close: str


OPENING = (
    r"<function\s{0,3}=\s{0,3}[\"']?(?P<function>[\w.:-]{1,80})[\"']?\s{0,3}>"
    r"|<invoke\s{1,3}name\s{0,3}=\s{0,3}[\"'](?P<invoke>[\w.:-]{1,80})[\"']\s{0,3}>"
)
_PARAMETERS = _Notation(
    re.compile(r"<parameter(?:\s{0,3}=\s{0,3}[\"']?|\s{1,3}name\s{0,3}=\s{0,3}[\"'])([\w.-]{1,80})[\"']?[^>\n]{0,80}>"),
    "</parameter>",
)
_PAIRS = _Notation(re.compile(r"<arg_key>\s{0,3}([\w.-]{1,80})\s{0,3}</arg_key>\s{0,3}<arg_value>"), "</arg_value>")
_WORDS: dict[str, Any] = {"true": True, "false": False}


def read_markup(text: str, opening: re.Match[str], tools: Sequence[OfferedTool]) -> Found | None:
    """The call whose opening tag was matched; None when a parameter does not end."""
    tag = "function" if opening["function"] else "invoke"
    name = opening[tag]
    close = text.find(f"</{tag}>", opening.end())
    end = len(text) if close < 0 else close
    tool = named_tool(name, tools)
    arguments = _values(Region(text, opening.end(), end), _PARAMETERS, tool)
    if arguments is None:
        return None
    return Found(name, tool, arguments, opening.start(), end if close < 0 else close + len(tag) + 3)


def read_pairs(region: Region, tool: OfferedTool | None) -> dict[str, Any] | None:
    """The arguments of `<arg_key>…</arg_key><arg_value>…</arg_value>` pairs; None when one does not end."""
    return _values(region, _PAIRS, tool)


def _values(region: Region, notation: _Notation, tool: OfferedTool | None) -> dict[str, Any] | None:
    text, at, close = region.text, region.at, notation.close
    schemas = Parameters(tool).schemas if tool else {}
    values: dict[str, Any] = {}
    while opened := notation.opening.search(text, at, region.end):
        stop = text.find(close, opened.end(), region.end)
        if stop < 0 or opened[1] in values:
            return None
        # One line end after the tag and one before its end belong to the markup, all others to the value.
        raw = text[opened.end() : stop].removeprefix("\n").removesuffix("\n")
        values[opened[1]] = _typed(raw, schemas.get(opened[1], {}))
        at = stop + len(close)
    return values


def _typed(raw: str, schema: Mapping[str, Any]) -> Any:
    """The value that a text stands for by the parameter's schema; what does not fit stays a text, to be told."""
    wanted = kinds(schema)
    word = raw.strip().casefold()
    if "null" in wanted and word in {"null", "none"}:
        return None
    if not wanted or "string" in wanted:
        return raw
    if "boolean" in wanted and word in _WORDS:
        return _WORDS[word]
    try:
        read = read_value(raw.strip())
    except NotationError:
        return raw
    fits = kind_of(read.value) in wanted or (isinstance(read.value, int) and "number" in wanted)
    return read.value if fits and not raw.strip()[read.end :] else raw
