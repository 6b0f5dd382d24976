"""Makes attributes, names and descriptions safe to export, whatever was put into them."""

import math
from collections.abc import Mapping

AttributeValue = str | int | float | bool

TEXT_LIMIT = 4000
NAME_LIMIT = 200
REFUSED = "remit.refused"
"""Names the attributes that were not exported, with the value or the type that stood in them."""

_INT64 = range(-(2**63), 2**63)


def clean(attributes: Mapping[str, object]) -> dict[str, AttributeValue]:
    """What may be exported of the attributes: no NaN, no infinity, no endless text, no integer above 64 bits.

    One bad value would otherwise cost the whole batch it is exported with.
    """
    kept: dict[str, AttributeValue] = {}
    refused: list[str] = []
    for key, value in attributes.items():
        match value:
            case bool():
                kept[text(key, NAME_LIMIT)] = value
            case int():
                kept[text(key, NAME_LIMIT)] = int(value) if value in _INT64 else text(hex(value))
            case float() if math.isfinite(value):
                kept[text(key, NAME_LIMIT)] = float(value)
            case float():
                refused.append(f"{key}: {float(value)}")
            case str():
                kept[text(key, NAME_LIMIT)] = text(value)
            case _:
                refused.append(f"{key}: {type(value).__name__}")
    if refused:
        kept[REFUSED] = text("; ".join(refused))
    return kept


def text(value: str, limit: int = TEXT_LIMIT) -> str:
    """A plain string that encodes as UTF-8 and has at most `limit` characters."""
    shown = str.__str__(value) if len(value) <= limit else f"{value[: limit - 1]}…"
    return shown.encode("utf-8", "replace").decode("utf-8")


def described(error: BaseException) -> str:
    """An exception in one short line."""
    try:
        said = " ".join(str(error).split())
    except Exception:  # noqa: BLE001  # a broken `__str__` must not replace the error that is being described
        said = ""
    return text(f"{type(error).__name__}: {said}" if said else type(error).__name__, 300)
