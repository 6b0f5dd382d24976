"""Spans of time as people write them, and sizes as they read them."""

import re
from datetime import timedelta

from orchestrator.errors import InputError

_SPAN = re.compile(r"(\d{1,6})\s*(h|d|w)", re.IGNORECASE)
_UNITS = {"h": "hours", "d": "days", "w": "weeks"}
_LONGEST = timedelta(days=36_500)


def span(text: str, where: str) -> timedelta:
    """`90d`, `12h` or `8w`. Raises InputError."""
    found = _SPAN.fullmatch(text.strip())
    length = timedelta(**{_UNITS[found[2].lower()]: int(found[1])}) if found else None
    if length is None or length > _LONGEST:
        raise InputError(f"`{text}` is no span of time", where=where, mend="Write it like 90d, 12h or 8w.")
    return length


def size(count: int) -> str:
    """Bytes in the largest unit of which there is one at least."""
    if count < 1000:
        return f"{count} bytes"
    power = 1 + (count >= 999_950) + (count >= 999_950_000)
    return f"{count / 1000**power:,.1f} {('kB', 'MB', 'GB')[power - 1]}"
