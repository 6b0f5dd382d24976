"""Reads arguments that stand behind a tool's name instead of in an Action Input: `["…"]`, `(city="…")`, `{…}`."""

from typing import Any, cast

from agents.protocols.nested import unnested
from agents.protocols.text.input import Given, read_input
from agents.protocols.text.notation import PYTHON, NotationError, Reader, read_value
from agents.protocols.text.offered import OfferedTool, Parameters
from agents.protocols.text.unfit import UnfitError, sample

_ENDS = frozenset(")）")
_COMMAS = frozenset(",，")
_EQUALS = frozenset("=:：")


def read_form(text: str, at: int, end: int, tool: OfferedTool) -> Given | None:
    """The arguments of the form that begins at `at`, or None when none begins there. Raises UnfitError."""
    while at < end and text[at].isspace():
        at += 1
    sign = text[at : at + 1] if at < end else ""
    if sign == "{":
        return read_input(text, at, end, tool)
    if sign == "[":
        return _bracket(text, at, end, tool)
    if sign in {"(", "（"}:
        try:
            return read_call(text, at, tool)
        except NotationError:
            return None  # an explanation in brackets
    return None


def read_call(text: str, at: int, tool: OfferedTool) -> Given:
    """The arguments of a call written as in Python, from its opening bracket on. Raises NotationError, UnfitError."""
    reader = Reader(text, at + 1)
    given: list[Any] = []
    named: dict[str, Any] = {}
    while reader.next_sign() not in _ENDS:
        start = reader.at
        name = reader.name()
        if name is not None and reader.next_sign() in _EQUALS:
            reader.at += 1
            if name in named:
                raise UnfitError(f"The argument `{name}` was given twice.")
            named[name] = reader.value()
        else:
            reader.at = start
            given.append(reader.value())
        if not reader.took(_COMMAS) and reader.next_sign() not in _ENDS:
            raise reader.wrong("a comma is missing")
    return Given(_assigned(given, named, tool), reader.at + 1, frozenset(reader.liberties) - PYTHON)


def _bracket(text: str, at: int, end: int, tool: OfferedTool) -> Given:
    try:
        read = read_value(text, at)
    except NotationError:
        return _bare_bracket(text, at, end, tool)
    items = cast("list[Any]", read.value)
    if len(items) == 1 and isinstance(items[0], dict):
        return Given(cast("dict[str, Any]", items[0]), read.end, read.liberties)
    return Given(_assigned(items, {}, tool), read.end, read.liberties)


def _bare_bracket(text: str, at: int, end: int, tool: OfferedTool) -> Given:
    close = _closing(text, at, end)
    if close is None:
        raise UnfitError(f"The bracket behind `{tool.name}` is not complete. Send {sample(Parameters(tool))} as input.")
    try:
        reader = read_call(f"({text[at + 1 : close]})", 0, tool)
    except NotationError:
        given = read_input(text, at + 1, close, tool)
        return Given(given.arguments, close + 1, given.liberties | {"no quotes"})
    return Given(reader.arguments, close + 1, reader.liberties | {"a bracket form of its own"})


def _closing(text: str, at: int, end: int) -> int | None:
    depth = 0
    for place in range(at, end):
        depth += {"[": 1, "]": -1}.get(text[place], 0)
        if depth == 0:
            return place
    return None


def _assigned(given: list[Any], named: dict[str, Any], tool: OfferedTool) -> dict[str, Any]:
    """Values without a name go to the parameters in their order."""
    parameters = Parameters(tool)
    names = [name for name in parameters.schemas if name not in named]
    if len(given) > len(names):
        takes = parameters.listed() or "no arguments"
        raise UnfitError(f"`{tool.name}` was given {len(given)} values, but takes {takes}.")
    arguments = {**dict(zip(names, given, strict=False)), **named}
    return {name: unnested(value, parameters.schemas.get(name, {})) for name, value in arguments.items()}
