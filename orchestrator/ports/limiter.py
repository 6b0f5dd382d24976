"""The port of rates: all workers together ask an endpoint no faster than it takes, and each run gets its turn."""

from dataclasses import dataclass
from typing import Protocol

from orchestrator.domain.rates import Rate


@dataclass(frozen=True, slots=True)
class Ask:
    """A call that is about to be sent. `key`: the endpoint and the model; `tokens`: at most, input and output."""

    key: str
    run: str
    tokens: int
    rate: Rate


@dataclass(frozen=True, slots=True)
class Told:
    """What came back for a call that was asked for."""

    asked_at: float
    """What `Pace.at` said when its place was taken."""
    used: int | None = None
    """Tokens that it really took, where that is known."""
    refused: bool = False
    """The endpoint said that it is asked too fast (429)."""
    pause: float | None = None
    """Seconds for which the endpoint wants to be left alone, where it said so."""


@dataclass(frozen=True, slots=True)
class Pace:
    """`wait`: seconds until the call may be sent. `taken`: its place is taken, it only has to wait so long; otherwise
    nothing is, ask again after that. `learned`: requests a minute that the endpoint seems to take; 0: unknown."""

    wait: float
    taken: bool
    at: float
    learned: float = 0.0


class Limiter(Protocol):
    """Keeps the rate of endpoints. Never raises: when its server is gone, each process keeps its share."""

    def take(self, ask: Ask, patience: float) -> Pace:
        """Take a place for a call, unless that means waiting for longer than `patience` seconds."""
        ...

    def told(self, ask: Ask, told: Told) -> float:
        """Learn from an answer; seconds after which the same call may be tried again."""
        ...

    def close(self) -> None:
        """Give connections back."""
        ...
