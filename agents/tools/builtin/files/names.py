"""Checks the names of files that tools make: plain, portable, without a way out of their folder."""

import re

_PLAIN = re.compile(r"[^\W_][\w .,()+=&#@-]*")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)
_LONGEST = 120


def name_fault(name: str) -> str | None:
    """What is wrong with a file's name; None when nothing is."""
    if "/" in name or "\\" in name or ".." in name:
        return "it has a path in it, and files stand side by side"
    if not _PLAIN.fullmatch(name) or name.endswith((".", " ")):
        return "it has to begin with a letter or digit and have letters, digits, spaces and . , - _ ( ) only"
    if _RESERVED.fullmatch(name):
        return "some systems keep this name for themselves"
    if len(name.encode()) > _LONGEST:
        return f"it is longer than {_LONGEST} bytes"
    return None
