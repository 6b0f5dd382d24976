"""Which writes are a single statement on PostgreSQL; what that does is the store's contract."""

from collections.abc import Sequence

import pytest

from orchestrator.adapters.sql.step_in_one import MOST_OBSERVATIONS, step_in_one
from orchestrator.domain.budget import Tariff
from orchestrator.domain.changes import Change, Fence, SaveStep, Yield
from orchestrator.domain.observation import Observation
from orchestrator.domain.step import Step

FENCE = Fence("r1/a", "w1", 1, 1)


def saving(*refs: str) -> SaveStep:
    seen = tuple(Observation(ref=ref, tool="look", ok=True, summary="", content="{}", size=2) for ref in refs)
    return SaveStep("r1/a", Step(n=1), seen)


@pytest.mark.parametrize("count", [0, 1, MOST_OBSERVATIONS])
def test_a_step_with_its_observations_is_one(count: int) -> None:
    """Of its own subtask, under its own fence."""
    assert step_in_one([saving(*(f"E3.{n}" for n in range(1, count + 1)))], FENCE) is not None


@pytest.mark.parametrize(
    ("changes", "fence"),
    [
        ([saving()], None),
        ([saving()], Fence("r1/b", "w1", 1, 1)),
        ([saving()], Fence("r1/a", "w1", 1, 1, Tariff(input=1, output=1))),
        ([saving("E3.1", "E4.1")], FENCE),
        ([saving(*(f"E3.{n}" for n in range(MOST_OBSERVATIONS + 1)))], FENCE),
        ([saving(), Yield("r1/a")], FENCE),
        ([Yield("r1/a")], FENCE),
        ([], FENCE),
    ],
    ids=["no-fence", "another-fence", "charged", "two-subtasks", "too-many", "and-more", "no-step", "nothing"],
)
def test_anything_else_is_a_transaction(changes: Sequence[Change], fence: Fence | None) -> None:
    """It decides more, or has to say what is wrong."""
    assert step_in_one(changes, fence) is None
