"""Tool names on the wire, where only letters, digits, `_` and `-` are allowed: `tables.profile` ↔ `tables__profile`."""

import re
from collections.abc import Iterable

_ESCAPE = re.compile(r"__|-x([0-9a-f]+)-")
_PLAIN = re.compile(r"[A-Za-z0-9]")
_PREFIX = re.compile(r"\Afunctions\.(.+?)(?::\d+)?\Z", re.DOTALL)


def wire_name(name: str) -> str:
    """The name that the server sees. A dot becomes `__`; whatever that could be confused with is escaped."""
    return "".join(_piece(name, index) for index in range(len(name)))


def own_name(wire: str) -> str:
    """The name behind one made by `wire_name`; any other text comes back as it is where nothing in it is an escape."""
    return _ESCAPE.sub(lambda match: _unescaped(match[0], match[1]), wire)


def called_name(wire: str, offered: Iterable[str]) -> str:
    """The tool that a model means by `wire`: written as on the wire, as we write it, or as `functions.<name>:<n>`."""
    names = set(offered)
    prefixed = _PREFIX.match(wire)
    for candidate in (wire, *([prefixed[1]] if prefixed else [])):
        for name in (own_name(candidate), candidate):
            if name in names:
                return name
    return own_name(wire)


def name_in_id(call_id: str) -> str | None:
    """The tool name inside an id such as `functions.lookup:0`, as some servers leave it there alone."""
    match = re.match(r"functions\.([A-Za-z0-9_.-]+):\d+\Z", call_id)
    return match[1] if match else None


def _piece(name: str, index: int) -> str:
    char = name[index]
    if char == ".":
        return "__"
    if _PLAIN.match(char):
        return char
    before, after = name[index - 1 : index], name[index + 1 : index + 2]
    if char == "-" and after != "x":
        return char
    # `_` beside `_` or `.` would read as a dot, so only one that stands alone is written plainly
    if char == "_" and before not in {"_", "."} and after not in {"_", "."}:
        return char
    return f"-x{ord(char):x}-"


def _unescaped(escape: str, code: str | None) -> str:
    if code is None:
        return "."
    try:
        return chr(int(code, 16))
    except (ValueError, OverflowError):
        return escape
