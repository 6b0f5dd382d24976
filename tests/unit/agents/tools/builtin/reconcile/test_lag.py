"""The usual delay between the sides, learned from bookings that surely belong together."""

from agents.tools.builtin.reconcile.lag import UNKNOWN_LAG, learn


def test_the_range_is_that_of_the_bulk() -> None:
    """A few bookings months late neither widen the range nor move the middle."""
    lag = learn([0, 1, 2, 3] * 25 + [50, 61], 14)
    assert (lag.low, lag.high, lag.samples) == (0, 3, 102)
    assert lag.usual(3)
    assert not lag.usual(4)
    assert lag.usual(4, slack=1)


def test_weeks_off_the_usual_delay_is_late() -> None:
    """Late is measured from the middle, so thirty days of credit are not late by themselves."""
    prompt, credit = learn([0, 1, 2, 3] * 10, 14), learn([28, 29, 30, 31, 33] * 8, 14)
    assert prompt.late(40, 14)
    assert not prompt.late(10, 14)
    assert not credit.late(40, 14)
    assert credit.late(0, 14)


def test_widely_spread_delays_are_late_later() -> None:
    """Where delays of zero to sixty days are usual, seventy are not late."""
    assert not learn(range(61), 14).late(70, 14)


def test_too_few_teach_nothing() -> None:
    """Below a dozen samples the delay is unknown."""
    assert learn([2] * 11, 14) == UNKNOWN_LAG
