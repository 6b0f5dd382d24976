"""One try at one call of a model, as seen from outside: before it is sent, and when it ended."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from agents.models.base import Usage
from agents.models.openai_chat.quotas import Quota


@dataclass(frozen=True, slots=True)
class TryEvent:
    """`start`: about to be sent (whoever raises here stops it). `end`: it ended, with usage or with a failure."""

    phase: Literal["start", "end"]
    model: str
    address: str
    step: int
    attempt: int
    """1 is the first; a request repeated in another dialect is the same attempt."""
    sent_bytes: int
    sent_tokens: int
    """Estimated from the request's text."""
    most_output: int = 0
    """Tokens that the reply may have."""
    seconds: float = 0.0
    usage: Usage | None = None
    estimated: bool = False
    """True when the server told no usage and it was estimated."""
    failure: str | None = None
    status: int | None = None
    retry_after: float | None = None
    again: bool = False
    """Of a failure: the same request may succeed later."""
    quotas: tuple[Quota, ...] = ()
    """What the answer said of the rate that is left."""
    sent: bool = True
    """Of an end: False when no connection was made, so that nobody can have answered."""


OnTry = Callable[[TryEvent], None]
