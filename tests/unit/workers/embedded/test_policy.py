"""Restarts: at once after a first death, then slower up to a limit, and trouble only for what never came up."""

from hypothesis import given
from hypothesis import strategies as st

from workers.embedded.policy import STEADY, Restarts, pause


def test_the_pauses() -> None:
    """None, then a tenth of a second, doubled each time, five seconds at most."""
    assert [pause(deaths) for deaths in range(10)] == [0, 0, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5]


@given(st.integers(0, 10**9))
def test_a_pause_never_shrinks_and_has_a_limit(deaths: int) -> None:
    """However often a service died, it is tried again within five seconds."""
    assert 0 <= pause(deaths) <= pause(deaths + 1) <= 5.0


def test_a_long_life_makes_good() -> None:
    """A service that was steady starts again at once, whatever was before."""
    poor = Restarts(deaths=8)
    assert poor.after_death(lived=STEADY, was_ready=True, now=100.0) == Restarts(1, 0, 100.0)
    assert poor.after_death(lived=STEADY - 0.01, was_ready=True, now=100.0) == Restarts(9, 0, 105.0)


def test_trouble_is_three_ends_before_it_was_ready() -> None:
    """Two are bad luck."""
    restarts = Restarts()
    seen: list[bool] = []
    for now in (1.0, 2.0, 3.0):
        restarts = restarts.after_death(lived=0.1, was_ready=False, now=now)
        seen.append(restarts.in_trouble)
    assert seen == [False, False, True]
    assert not restarts.after_ready().in_trouble


@given(st.lists(st.tuples(st.floats(0, 100), st.booleans()), max_size=30))
def test_a_service_that_was_ready_last_time_is_never_in_trouble(lives: list[tuple[float, bool]]) -> None:
    """Being killed often is no reason to give up on a service that comes up."""
    restarts = Restarts()
    for lived, was_ready in lives:
        restarts = restarts.after_death(lived=lived, was_ready=was_ready, now=7.0)
        assert not (was_ready and restarts.in_trouble)
        assert 7.0 <= restarts.due <= 12.0
        assert restarts.deaths >= 1
