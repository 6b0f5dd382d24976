"""Strict JSON: NaN and Infinity are refused with their path, Chinese stays Chinese, broken characters are replaced."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

import orjson

from orchestrator.errors import DefectError


def dumps(value: object, where: str) -> str:
    """`value` as compact JSON, integers of any size. Raises DefectError with the path of what cannot be written."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        path = non_finite(value)
        what = f"NaN or Infinity at {path} is no JSON number" if path else f"this cannot be written as JSON: {error}"
        raise DefectError(what, where=where) from None
    return text if text.isascii() else whole_characters(text)


def text_bytes(value: Mapping[str, Any]) -> bytes:
    """A mapping that holds only texts and nested mappings of texts, as UTF-8 JSON."""
    try:
        return orjson.dumps(value)
    except orjson.JSONEncodeError:  # a lone surrogate, as a model or a broken file may leave behind
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return whole_characters(text).encode()


def loads(body: bytes) -> object:
    """Decode a body; what only Python reads (NaN, lone surrogates) is read by Python. Raises ValueError."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return loads_exactly(body)


def loads_exactly(body: bytes) -> object:
    """Decode a body with integers of any size kept exact. Raises ValueError."""
    try:
        return json.loads(body.decode("utf-8-sig"), strict=False)
    except RecursionError:
        raise ValueError("the JSON is nested too deep") from None


def non_finite(value: object, path: str = "$") -> str | None:
    """The path of the first NaN or Infinity inside `value`, or None."""
    if isinstance(value, float):
        return None if math.isfinite(value) else path
    if isinstance(value, Mapping):
        for key, item in cast("Mapping[Any, Any]", value).items():
            if found := non_finite(item, f"{path}.{key}"):
                return found
    elif isinstance(value, Sequence) and not isinstance(value, str | bytes):
        for index, item in enumerate(cast("Sequence[Any]", value)):
            if found := non_finite(item, f"{path}[{index}]"):
                return found
    return None


def whole_characters(text: str) -> str:
    """`text` with surrogate pairs joined and lone surrogates replaced by U+FFFD, so that it can be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def whole_value(value: Any) -> Any:
    """Decoded JSON with the characters of every text and key inside whole."""
    if isinstance(value, str):
        return whole_characters(value)
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return {whole_characters(key): whole_value(item) for key, item in members.items()}
    if isinstance(value, list):
        return [whole_value(item) for item in cast("list[Any]", value)]
    return value
