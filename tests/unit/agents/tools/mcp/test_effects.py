"""A tool's effect: what the server hints and what the team says have to agree."""

from typing import Any

import pytest

from agents.tools.mcp.effects import Hints, effect_of

NOTHING, READS, REPEATS = Hints(), Hints(read_only=True), Hints(idempotent=True)


@pytest.mark.parametrize(
    ("hints", "said", "effect"),
    [
        (NOTHING, None, "unsafe"),
        (NOTHING, "read", "unsafe"),
        (NOTHING, "idempotent", "unsafe"),
        (READS, None, "unsafe"),
        (READS, "read", "read"),
        (READS, "idempotent", "idempotent"),
        (READS, "unsafe", "unsafe"),
        (REPEATS, None, "unsafe"),
        (REPEATS, "read", "unsafe"),
        (REPEATS, "idempotent", "idempotent"),
        (REPEATS, "unsafe", "unsafe"),
    ],
)
def test_the_more_dangerous_one_counts(hints: Hints, said: Any, effect: str) -> None:
    """Each combination."""
    assert effect_of(hints, said) == effect
