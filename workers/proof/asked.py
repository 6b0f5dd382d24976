"""What a proof is asked for."""

from dataclasses import dataclass
from pathlib import Path

LEASE_SECONDS = 3.0
"""Short, so that a stopped worker's subtasks go on within seconds."""
GRACE_SECONDS = 4.0
"""Short for the same reason: each call that was killed in flight costs a round its own two seconds and these."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The arguments of `remit chaos`."""

    team: str
    rounds: int
    first_round: int
    seed: int
    runs: int
    """Runs of each round, side by side."""
    cancelled: int
    """Runs beside them that are called off in the middle."""
    orders: int
    """Orders of each run."""
    faults: int
    """Faults of each round, at most."""
    workers: int
    patience: float
    """Seconds after which a round that has not ended has failed."""
    database: str | None
    folder: Path
    """Where the rounds have their homes."""
