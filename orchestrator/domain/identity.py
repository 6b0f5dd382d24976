"""Who is asking and within whose data: every query takes a Scope, every decision carries an Actor."""

import secrets
from typing import Literal

from orchestrator.domain.record import Record

LOCAL_TENANT = "local"
"""Whose the runs of an installation are: each has one tenant."""
_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
"""No 0/o, 1/l/i: ids are read aloud and typed."""


def new_id(prefix: str, length: int = 8) -> str:
    """A random id such as `r4k7m2xq9`: 31**8, about 8.5e11 values after the prefix."""
    return prefix + "".join(secrets.choice(_ALPHABET) for _ in range(length))


class Scope(Record):
    """Whose rows a query may see."""

    tenant: str


class Actor(Record):
    """Who decided something, and how we know."""

    id: str
    roles: tuple[str, ...] = ()
    channel: Literal["cli", "api", "web", "worker", "sweeper"] = "cli"
    proof: str = "local user"


ENGINE = Actor(id="remit", channel="worker", proof="rule")
SWEEPER = Actor(id="remit", channel="sweeper", proof="deadline")
