"""Reads the tokens that a reply cost, or estimates them where the server did not say."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of one call; `cached` are those of the input that the server had already."""

    input: int
    output: int
    cached: int = 0
    estimated: bool = False


def tokens_of(body: object, sent: bytes, received: str) -> Tokens:
    """What the body says, completed by an estimate from the texts that went out and came back."""
    usage = cast("Mapping[str, Any]", body).get("usage") if isinstance(body, Mapping) else None
    members = cast("Mapping[str, Any]", usage) if isinstance(usage, Mapping) else {}
    input_tokens = _count(members.get("prompt_tokens", members.get("input_tokens")))
    output_tokens = _count(members.get("completion_tokens", members.get("output_tokens")))
    details = members.get("prompt_tokens_details")
    cached = _count(cast("Mapping[str, Any]", details).get("cached_tokens")) if isinstance(details, Mapping) else None
    if cached is None:
        cached = _count(members.get("prompt_cache_hit_tokens"))
    # A call has a prompt: nought tokens of input is a server that does not count.
    estimated = not input_tokens or output_tokens is None
    return Tokens(
        input=input_tokens or estimate(sent),
        output=estimate(received.encode("utf-8", "replace")) if output_tokens is None else output_tokens,
        cached=min(cached or 0, input_tokens or 0),
        estimated=estimated,
    )


def estimate(text: bytes) -> int:
    """Roughly the tokens of UTF-8 text: four letters a token, one Chinese character a token."""
    characters = len(text.decode("utf-8", "ignore"))
    wide = (len(text) - characters) // 2
    return (characters - wide + 3) // 4 + wide


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
