"""Reads the arguments that a model wrote as text for one tool: an object in any dress, or one bare value."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from agents.protocols.nested import kind_of, kinds, unnested
from agents.protocols.text.literals import CLOSERS
from agents.protocols.text.notation import NotationError, Read, read_strict, read_value
from agents.protocols.text.offered import OfferedTool, Parameters
from agents.protocols.text.repair import repaired, twice
from agents.protocols.text.unfit import UnfitError, missing, sample

_FENCE = re.compile(r"\s*(?:```+|~~~+)[\w+-]*[ \t]*\r?\n")
_BLANK = re.compile(r"\s*(?:`(?=[{\[]))?")
_LINE = re.compile(r"\s*([^\W\d]\w{0,60})\s*[:：=]\s*(\S.*)")
_NOTHING = frozenset({"", "none", "null", "n/a", "no input", "empty", "无", "none needed"})
_SHELLS = ("arguments", "parameters", "action_input", "args", "input")


@dataclass(frozen=True, slots=True)
class Given:
    """The arguments, where in the text they end, and the liberties that their writer took."""

    arguments: dict[str, Any]
    end: int
    liberties: frozenset[str] = frozenset()


def read_input(text: str, at: int, end: int, tool: OfferedTool) -> Given:
    """The arguments in `text` from `at`; bare text ends at `end`, an object where it ends. Raises UnfitError."""
    parameters = Parameters(tool)
    fence = _FENCE.match(text, at)
    start = fence.end() if fence else cast("re.Match[str]", _BLANK.match(text, at)).end()
    sign = text[start : start + 1]
    if sign in {"{", "｛", "["}:
        read = _object(text, start, end, tool, parameters)
        return Given(_arguments(read.value, tool, parameters), read.end, read.liberties)
    if sign in CLOSERS and (whole := _quoted(text, start, end)):
        return Given(_arguments(whole.value, tool, parameters), whole.end, whole.liberties)
    content = text[start:end]
    if fence:
        content = re.split(r"^[ \t]*(?:```|~~~)", content, maxsplit=1, flags=re.MULTILINE)[0]
    return _bare(content if fence else content.strip(), end, tool, parameters)


def _object(text: str, start: int, end: int, tool: OfferedTool, parameters: Parameters) -> Read:
    try:
        read = read_value(text, start)
    except NotationError as error:
        read = repaired(_unfenced(text[start:end]), parameters.schemas) if tool.effect == "read" else None
        if read is not None:
            return Read(read.value, end, read.liberties)
        if error.cut:
            what = "The Action Input is not complete: it ends before its JSON does"
        else:
            what = f"The Action Input cannot be read: {error}"
        raise UnfitError(f"{what}. Send it again as one JSON object such as {sample(parameters)}.") from None
    rest = text[read.end : max(end, read.end)]
    if twice(rest):
        raise UnfitError("The Action Input holds more than one JSON object; send one Action with one object.")
    if rest.lstrip()[:1] in {"}", "]", ")"}:
        raise UnfitError(f"The Action Input has a `{rest.lstrip()[0]}` too many behind its JSON. Send it again.")
    line = rest.split("\n", 1)[0].strip().strip("`").strip()
    return read if not line else Read(read.value, read.end, read.liberties | {"text behind it"})


def _quoted(text: str, start: int, end: int) -> Read | None:
    """A text in quotes with nothing else on its line."""
    try:
        read = read_value(text, start)
    except NotationError:
        return None
    return None if text[read.end : max(end, read.end)].split("\n", 1)[0].strip().strip("`").strip() else read


def _unfenced(text: str) -> str:
    return re.sub(r"\s*`+\s*\Z", "", text)


def _arguments(value: object, tool: OfferedTool, parameters: Parameters) -> dict[str, Any]:
    """The arguments that a decoded value stands for. Raises UnfitError."""
    if isinstance(value, str) and (inner := _encoded(value)) is not None:
        value = inner
    if isinstance(value, list) and not _takes(parameters, "array"):
        items = cast("list[object]", value)
        value = items[0] if len(items) == 1 and isinstance(items[0], dict) else value
    if isinstance(value, dict):
        members = _unwrapped(cast("dict[str, Any]", value), tool, parameters)
        return {name: unnested(item, parameters.schemas.get(name, {})) for name, item in members.items()}
    if value is None and not parameters.required:
        return {}
    if parameters.only and _fits(value, parameters.schemas.get(parameters.only, {})):
        return {parameters.only: value}
    what = {"string": "a text", "array": "a list", "null": "null", "boolean": "true or false"}
    sent = what.get(kind_of(value), "a number")
    raise UnfitError(
        f"The Action Input was {sent}, but `{tool.name}` takes {parameters.listed()}: "
        f"send one JSON object such as {sample(parameters)}."
    )


def _encoded(text: str) -> dict[str, Any] | None:
    """The object that a text holds as strict JSON: some models encode it twice."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        read = read_strict(text, len(text) - len(text.lstrip()))
    except NotationError as error:
        raise UnfitError(f"The Action Input cannot be read: {error}. Send it as one JSON object.") from None
    whole = read is not None and not text[read.end :].strip() and isinstance(read.value, dict)
    return cast("dict[str, Any]", read.value) if read and whole else None


def _unwrapped(members: dict[str, Any], tool: OfferedTool, parameters: Parameters) -> dict[str, Any]:
    """The arguments inside `{"name": …, "arguments": {…}}`, written where the arguments alone are due."""
    for key in _SHELLS:
        inner = members.get(key)
        named = members.get("name", members.get("action", members.get("tool")))
        if isinstance(inner, dict) and named == tool.name and key not in parameters.schemas:
            return cast("dict[str, Any]", inner)
    return members


def _takes(parameters: Parameters, kind: str) -> bool:
    return parameters.only is not None and kind in kinds(parameters.schemas.get(parameters.only, {}))


def _fits(value: object, schema: Mapping[str, Any]) -> bool:
    wanted = kinds(schema)
    return not wanted or kind_of(value) in wanted or (isinstance(value, int) and "number" in wanted)


def _bare(content: str, end: int, tool: OfferedTool, parameters: Parameters) -> Given:
    """Text without quotes: the value of the one parameter it can be meant for. Raises UnfitError."""
    if content.strip().strip("`\"'.").casefold() in _NOTHING:
        if parameters.required:
            raise missing(tool)
        return Given({}, end)
    if not parameters.schemas:
        return Given({}, end, frozenset({"an input although it takes none"}))
    if given := _lines(content, parameters):
        return Given(given, end, frozenset({"lines instead of JSON"}))
    only = parameters.only
    if only and _fits("", parameters.schemas.get(only, {})):
        return Given({only: content}, end, frozenset({"no quotes"}))
    try:
        read = read_strict(content)
    except NotationError:
        read = None
    if read is None or content[read.end :].strip():
        raise UnfitError(
            f"The Action Input is no JSON, but `{tool.name}` takes {parameters.listed()}: "
            f"send one JSON object such as {sample(parameters)}."
        )
    return Given(_arguments(read.value, tool, parameters), end)


def _lines(content: str, parameters: Parameters) -> dict[str, str] | None:
    """The arguments of lines such as `city: Rome`, when each line names a parameter of its own."""
    pairs = [_LINE.fullmatch(line) for line in content.strip().splitlines() if line.strip()]
    names = [pair[1] for pair in pairs if pair]
    if (
        not names
        or len(names) < len(pairs)
        or len(set(names)) < len(names)
        or not set(names) <= set(parameters.schemas)
    ):
        return None
    return {pair[1]: pair[2].strip() for pair in pairs if pair}
