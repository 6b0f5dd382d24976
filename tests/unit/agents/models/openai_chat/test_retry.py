"""When a failed call is tried again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.models.openai_chat.failures import Failure
from agents.models.openai_chat.retry import Retry

PASSING = Failure("unavailable", "x", retry=True)


def _asked(seconds: float) -> Failure:
    return Failure("unavailable", "x", retry=True, retry_after=seconds)


@pytest.mark.parametrize(("attempt", "low", "high"), [(1, 0.25, 0.5), (2, 0.5, 1.0)])
def test_waits_double_and_differ(attempt: int, low: float, high: float) -> None:
    """The second wait is twice the first; the roll spreads each over its upper half."""
    assert Retry().pause(PASSING, attempt, 60, 0.0) == low
    assert Retry().pause(PASSING, attempt, 60, 1.0) == high


def test_three_tries_and_no_more() -> None:
    """Two further tries follow the first."""
    assert Retry().pause(PASSING, 2, 60, 0.5) is not None
    assert Retry().pause(PASSING, 3, 60, 0.5) is None


def test_what_does_not_pass_is_not_tried_again() -> None:
    """A refusal ends the call at once."""
    assert Retry().pause(Failure("refused", "x", retry=False), 1, 60, 0.5) is None


def test_a_wait_beyond_the_deadline_or_the_patience_is_the_callers() -> None:
    """No thread is held for a wait that leads nowhere."""
    assert Retry().pause(_asked(10), 1, 9, 0.0) is None
    assert Retry().pause(_asked(61), 1, 600, 0.0) is None
    assert Retry().pause(_asked(10), 1, 11, 0.0) == 10


@given(st.floats(0, 60), st.integers(1, 2), st.floats(0, 1), st.floats(0, 100))
def test_never_sooner_than_asked_and_never_past_the_deadline(
    asked: float, attempt: int, roll: float, left: float
) -> None:
    """Whatever the dice say, Retry-After and the deadline are kept."""
    pause = Retry().pause(_asked(asked), attempt, left, roll)
    assert pause is None or asked <= pause < left
