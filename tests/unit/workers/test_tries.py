"""What each try at a call waits for, and what its end teaches."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from agents.models.base import Usage
from agents.models.openai_chat.quotas import Quota
from agents.models.openai_chat.tries import TryEvent
from orchestrator.adapters.limiter.memory import MemoryLimiter
from orchestrator.domain.rates import Rate, Rates
from workers.errors import MustWaitError
from workers.tries import Tries, may_have_cost

START = TryEvent("start", "m", "https://api.example.com/v1", 1, 1, 4000, 1000, 500)
END = replace(START, phase="end", usage=Usage("m", 1000, 100))
TOO_FAST = replace(START, phase="end", failure="too fast", status=429, again=True)


class Moment:
    """A clock that sleeping puts forward."""

    def __init__(self) -> None:
        self.at = 1_790_000_000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.at

    def sleep(self, seconds: float) -> None:
        """Pass the time."""
        self.slept.append(round(seconds, 3))
        self.at += seconds


@pytest.fixture
def moment() -> Moment:
    """The clock."""
    return Moment()


@pytest.fixture
def tries(moment: Moment) -> Callable[..., Tries]:
    """Make what listens to the models of a worker."""

    def make(**rate: Any) -> Tries:
        return Tries(MemoryLimiter(moment), Rates(every=Rate(**rate)), moment.sleep)

    return make


def test_a_short_wait_is_made_in_place(tries: Callable[..., Tries], moment: Moment) -> None:
    """Fifty-four requests a minute, and five at once at first."""
    listen = tries(rpm=54)
    with listen.turn("r1", None):
        for _ in range(9):
            listen(START)
            listen(END)
    assert moment.slept == pytest.approx([0.741, 1.235, 1.235, 1.235], abs=0.002)


def test_a_long_wait_is_not(tries: Callable[..., Tries], moment: Moment) -> None:
    """Whoever asks is told how long it would be; nothing is sent."""
    listen = tries(rpm=6)
    with listen.turn("r1", None):
        listen(START)
        with pytest.raises(MustWaitError) as caught:
            listen(START)
    assert caught.value.seconds == pytest.approx(60 / 5.4)
    assert caught.value.retry_after == caught.value.seconds
    assert moment.slept == []


def test_tokens_count_at_most_and_then_as_they_were(tries: Callable[..., Tries], moment: Moment) -> None:
    """1,500 of 150 a second at most; 1,100 were used."""
    listen = tries(tpm=10_000)
    with listen.turn("r1", None):
        listen(START)
        moment.at += 4
        listen(END)
        with pytest.raises(MustWaitError) as caught:
            listen(START)
    assert caught.value.seconds == pytest.approx(1100 / 150 - 4)


def test_after_a_refusal_the_same_thread_waits_a_little_and_no_longer(
    tries: Callable[..., Tries], moment: Moment
) -> None:
    """A second of waiting is made in place, once; longer, or again, and the subtask becomes a row."""
    listen = tries()
    with listen.turn("r1", None):
        listen(START)
        moment.at += 0.5
        listen(replace(TOO_FAST, retry_after=1.0))
        listen(replace(START, attempt=2))
        assert moment.slept == [1.0]
        with pytest.raises(MustWaitError):
            listen(replace(TOO_FAST, attempt=2, retry_after=1.0))
        listen(START)
        with pytest.raises(MustWaitError) as caught:
            listen(replace(TOO_FAST, retry_after=30.0))
    assert caught.value.seconds == pytest.approx(30.0, abs=0.1)


def test_another_runs_call_waits_for_it_too(tries: Callable[..., Tries], moment: Moment) -> None:
    """All of a worker's threads and all workers hear of one refusal."""
    listen = tries()
    with listen.turn("r1", None):
        listen(START)
        with pytest.raises(MustWaitError):
            listen(replace(TOO_FAST, retry_after=30.0))
    with listen.turn("r2", None), pytest.raises(MustWaitError):
        listen(START)
    with listen.turn("r2", None):
        listen(replace(START, model="other"))


@pytest.mark.parametrize(
    "end",
    [
        replace(TOO_FAST, again=False),
        replace(TOO_FAST, status=500),
        replace(TOO_FAST, status=None),
        END,
    ],
    ids=["no credit", "broken", "lost", "answered"],
)
def test_nothing_else_slows_anybody(tries: Callable[..., Tries], moment: Moment, end: TryEvent) -> None:
    """An account without credit does not get better by waiting."""
    listen = tries()
    with listen.turn("r1", None):
        listen(START)
        listen(end)
        listen(START)
    assert moment.slept == []


def test_a_server_that_wants_a_pause_gets_it(tries: Callable[..., Tries], moment: Moment) -> None:
    """An overloaded one that names a time, and one whose headers say that nothing is left."""
    listen = tries()
    with listen.turn("r1", None):
        listen(START)
        listen(replace(TOO_FAST, status=503, retry_after=1.5))
        listen(START)
        listen(replace(END, quotas=(Quota("requests", 0, 60.0, 60.0), Quota("tokens", 900.0, 2.0, 1100.0))))
        listen(START)
    assert moment.slept == [1.5, 1.0]


def test_what_may_have_cost_money() -> None:
    """Lost on the way, or answered with something that is no reply; not what was never sent or refused."""
    lost = replace(TOO_FAST, status=None)
    assert may_have_cost(lost)
    assert may_have_cost(replace(lost, status=200))
    assert not may_have_cost(replace(lost, sent=False))
    assert not may_have_cost(replace(lost, status=500))
