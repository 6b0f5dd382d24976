"""Decides whether found data has what is expected of it: a part of an object, a number in any notation, a pattern."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, cast

_PATTERN = re.compile(r"/(.+)/", re.DOTALL)


def is_like(expected: object, found: object) -> bool:
    """True when `found` has all that `expected` names.

    Of an object some keys suffice; a list is compared item by item; numbers are equal by value, also as texts; texts
    are equal whatever their case; a text `/…/` is a regular expression.
    """
    if isinstance(expected, Mapping):
        return _has_all(cast("Mapping[str, Any]", expected), found)
    if isinstance(expected, str):
        return _is_text(expected, found)
    if isinstance(expected, Sequence):
        items = cast("Sequence[object]", expected)
        if not isinstance(found, list | tuple):
            return False
        others = cast("Sequence[object]", found)
        return len(items) == len(others) and all(map(is_like, items, others))
    if isinstance(expected, bool) or expected is None:
        return expected is found
    number = _number(found)
    return number is not None and number == _number(expected)


def _has_all(expected: Mapping[str, Any], found: object) -> bool:
    if not isinstance(found, Mapping):
        return False
    members = cast("Mapping[str, Any]", found)
    return all(key in members and is_like(value, members[key]) for key, value in expected.items())


def _is_text(expected: str, found: object) -> bool:
    if pattern := _PATTERN.fullmatch(expected):
        return isinstance(found, str | int | float) and re.search(pattern[1], str(found), re.IGNORECASE) is not None
    number = _number(expected)
    if number is not None and number == _number(found):
        return True
    return isinstance(found, str) and _folded(expected) == _folded(found)


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _number(value: object) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        return None
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return None
    return number if number.is_finite() else None
