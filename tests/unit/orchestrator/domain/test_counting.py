"""Counts are written as people write them."""

from orchestrator.domain.counting import counted


def test_counts() -> None:
    """One is one; what has another plural says it."""
    assert [counted(n, "run") for n in (0, 1, 2_000)] == ["0 runs", "1 run", "2,000 runs"]
    assert [counted(n, "entry", "entries") for n in (1, 2)] == ["1 entry", "2 entries"]
