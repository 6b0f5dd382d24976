"""What comes back from an endpoint for one request: an answer of any status, or nothing whole."""

from dataclasses import dataclass
from typing import Protocol

from agents.models.openai_chat.quotas import Quota
from orchestrator.ports.clock import Stopped


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole HTTP answer. `retry_after`: seconds; `may_retry`: the server's own word on trying again."""

    status: int
    content_type: str
    body: bytes
    retry_after: float | None = None
    may_retry: bool | None = None
    quotas: tuple[Quota, ...] = ()


@dataclass(frozen=True, slots=True)
class Lost:
    """No whole answer came: no connection, a time-out, a connection cut in the middle."""

    reason: str
    sent: bool = True
    """False when no connection was made: nothing of the request went out."""


class Sender(Protocol):
    """Sends ready bytes to an endpoint; the one seam between deciding and the network."""

    def post(self, body: bytes, seconds: float, stopped: Stopped = None) -> Answer | Lost:
        """Ask for a chat completion, within `seconds`, and only until `stopped` says that nobody wants it any more."""
        ...

    def models(self, seconds: float) -> Answer | Lost:
        """Ask which models there are, within `seconds`."""
        ...

    def close(self) -> None:
        """Close the connections."""
        ...
