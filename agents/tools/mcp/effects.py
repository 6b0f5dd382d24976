"""What a server's tool does to the world: `unsafe`, unless the server's annotations and the team both say less."""

from dataclasses import dataclass

from agents.tools.mcp.declared import SaidEffect


@dataclass(frozen=True, slots=True)
class Hints:
    """What a server says of a tool's effect."""

    read_only: bool = False
    idempotent: bool = False


def effect_of(hints: Hints, said: SaidEffect | None) -> SaidEffect:
    """The effect that counts."""
    if said == "read" and hints.read_only:
        return "read"
    if said == "idempotent" and (hints.idempotent or hints.read_only):
        return "idempotent"
    return "unsafe"
