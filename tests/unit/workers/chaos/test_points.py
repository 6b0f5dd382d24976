"""The points as the documentation lists them."""

from pathlib import Path

import pytest

from workers.chaos.points import COMMITS, LETTERS, POINTS

DOC = (Path(__file__).parents[4] / "docs" / "chaos.md").read_text("utf-8")


@pytest.mark.parametrize("name", POINTS)
def test_every_point_is_documented(name: str) -> None:
    """A reader finds each point in the table, those around transactions by their kind."""
    first, _, rest = name.partition(".")
    if first == "commit":
        assert f"`{rest.partition('.')[0]}`" in DOC
    else:
        rows = [line for line in DOC.splitlines() if line.startswith(f"| `{first}")]
        assert any(f"`{name}`" in row or (f"`{first}." in row and f"`.{rest}`" in row) for row in rows)


def test_every_fault_is_documented() -> None:
    """Each fault has its word, and each kind of transaction both its points."""
    assert all(f"`{fault}` " in DOC for fault in LETTERS)
    assert all({f"commit.{kind}.before", f"commit.{kind}.after"} <= set(POINTS) for kind in COMMITS)
