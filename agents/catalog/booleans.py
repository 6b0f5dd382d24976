"""Finds where a file says true or false and a number was read: to the library the two are 1 and 0."""

from collections.abc import Mapping

from pydantic import BaseModel


def boolean_for_number(written: object, read: object, key: str = "") -> tuple[str, bool] | None:
    """The first key, and what it holds, that is a boolean in what was written and none in what was read from it."""
    if isinstance(written, bool):
        return None if isinstance(read, bool) else (key, written)
    for name, value in _parts(written).items():
        there = getattr(read, name, None) if isinstance(read, BaseModel) else _parts(read).get(name)
        if found := boolean_for_number(value, there, f"{key}.{name}" if key else name):
            return found
    return None


def _parts(value: object) -> Mapping[str, object]:
    if isinstance(value, Mapping):
        return {str(name): part for name, part in value.items()}
    if isinstance(value, list | tuple):
        return {str(place): part for place, part in enumerate(value)}
    return {}
