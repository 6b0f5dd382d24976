"""Escalating: when what broke off is tried again, and when a person is asked."""

from datetime import timedelta

from orchestrator.engine.escalating import pause


def test_what_broke_off_waits_a_second_and_then_four() -> None:
    """A person is asked at once, and whoever says to try again begins anew."""
    assert [pause(deaths) for deaths in range(7)] == [timedelta(seconds=seconds) for seconds in (1, 4, 0, 1, 4, 0, 1)]
