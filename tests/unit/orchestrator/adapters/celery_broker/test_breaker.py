"""When the circuit breaker refuses, and what it says about changes."""

from hypothesis import given
from hypothesis import strategies as st

from orchestrator.adapters.celery_broker.breaker import CircuitBreaker


class Clock:
    """A monotonic clock that is set by hand."""

    def __init__(self) -> None:
        self.at = 100.0

    def __call__(self) -> float:
        return self.at


def test_it_is_open_for_its_time_after_a_failure() -> None:
    """Closed at first, open after a failure, closed again when the time is over, whatever else happens."""
    clock = Clock()
    breaker = CircuitBreaker(1.0, clock)
    assert not breaker.is_open()
    breaker.failed()
    assert breaker.is_open()
    clock.at += 0.999
    assert breaker.is_open()
    clock.at += 0.001
    assert not breaker.is_open()


def test_a_success_closes_it() -> None:
    """At once."""
    breaker = CircuitBreaker(1.0, Clock())
    breaker.failed()
    breaker.succeeded()
    assert not breaker.is_open()


@given(st.lists(st.booleans()))
def test_only_changes_are_news(outcomes: list[bool]) -> None:
    """The first failure of an outage is news, and so is the first success after it; nothing else is."""
    breaker = CircuitBreaker(1.0, Clock())
    before = True
    for outcome in outcomes:
        news = breaker.succeeded() if outcome else breaker.failed()
        assert news == (outcome != before)
        before = outcome
