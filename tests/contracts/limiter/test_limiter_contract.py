"""Contract of the limiter: rates that are known are kept, others are learned, and each run gets its turn."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from orchestrator.ports.limiter import Ask, Limiter, Pace, Told

Asking = Callable[..., Ask]
Took = Callable[[Ask], Pace]


def test_what_is_not_limited_goes_at_once(traffic: Any, asking: Asking) -> None:
    """Nothing is known of the endpoint: nobody waits."""
    traffic.add(asking(), callers=50, latency=0.5)
    traffic.flow(10)
    assert len(traffic.sent["r1"]) == 50 * 20


@pytest.mark.parametrize("rpm", [1, 2, 3, 5, 9, 20, 60, 600])
def test_no_minute_sees_more_requests_than_are_allowed(traffic: Any, asking: Asking, rpm: int) -> None:
    """However many ask; and nearly as many as are allowed go through."""
    traffic.add(asking(rpm=rpm), callers=max(3, rpm // 10))
    traffic.flow(400)
    assert traffic.most_in_a_minute() <= rpm
    assert len(traffic.sent["r1"]) >= int(rpm * 400 / 60 * 0.85)


def test_no_minute_sees_more_tokens_than_are_allowed(traffic: Any, asking: Asking) -> None:
    """Each call counts with what it may need at most."""
    traffic.add(asking(tpm=60_000, tokens=1_500), callers=20)
    traffic.flow(300)
    assert traffic.most_in_a_minute() <= 40
    assert len(traffic.sent["r1"]) >= 160


def test_tokens_that_were_not_used_come_back(limiter: Limiter, took: Took, asking: Asking) -> None:
    """At 900 tokens a second, 9,000 unused ones are ten seconds."""
    ask = asking(tpm=60_000, tokens=10_000)
    first = took(ask)
    assert took(ask).wait == pytest.approx(10_000 / 900)
    assert limiter.told(ask, Told(first.at, used=1_000)) == 0
    assert took(ask).wait == pytest.approx(20_000 / 900 - 10)


def test_a_call_that_needs_more_than_a_minute_has_is_made_all_the_same(
    limiter: Limiter, moment: Any, took: Took, asking: Asking
) -> None:
    """As soon as nothing is owed; whoever comes after it waits until it is paid for, and nobody for ever."""
    ask = asking(tpm=6_000, tokens=9_000)
    assert took(ask).wait == 0.0
    assert took(ask).wait == pytest.approx(9_000 / 90)
    moment.at += 2 * 9_000 / 90
    assert took(ask).wait == pytest.approx(0.0, abs=0.001)


def test_a_place_is_taken_only_within_the_callers_patience(limiter: Limiter, took: Took, asking: Asking) -> None:
    """Whoever is sent away holds nothing: others do not wait for him."""
    ask = asking(rpm=20)
    assert [took(ask).wait for _ in range(3)] == pytest.approx([0, 0, 1 / 0.3])
    for _ in range(50):
        away = limiter.take(ask, 2.0)
        assert not away.taken
        assert away.wait > 2.0
    assert took(ask).wait == pytest.approx(2 / 0.3)


def test_those_who_are_sent_away_come_back_one_after_another(limiter: Limiter, took: Took, asking: Asking) -> None:
    """Not all at the same moment; and within about a minute, whoever else waits."""
    ask = asking(rpm=60)
    for _ in range(10):
        took(ask)
    waits = [limiter.take(ask, 2.0).wait for _ in range(100)]
    steps = [after - before for before, after in pairwise(waits)]
    assert all(step == pytest.approx(1 / 0.9) for step in steps[:40])
    assert max(waits) <= 61


def test_a_storm_of_refusals_slows_everybody_at_once(limiter: Limiter, moment: Any, took: Took, asking: Asking) -> None:
    """Nobody asks before the endpoint wants to be asked, then at half the rate that was too much, then faster."""
    ask = asking()
    sent = [took(ask) for _ in range(40)]
    moment.at += 0.5
    waits = [limiter.told(ask, Told(one.at, refused=True, pause=8.0)) for one in sent]
    assert waits[0] == pytest.approx(8.0)
    assert len(set(waits)) == len(waits)
    other = asking(run="r2")
    assert not limiter.take(other, 2.0).taken
    pace = took(other)
    assert pace.wait == pytest.approx(8.0)
    assert pace.learned == pytest.approx(20 * 60, rel=0.01)
    moment.at += 30
    assert limiter.take(other, 2.0).learned == pytest.approx(40 * 60, rel=0.01)
    moment.at += 600
    assert limiter.take(other, 2.0) == Pace(wait=0.0, taken=True, at=moment.at)


def test_refusals_of_calls_sent_before_cut_the_rate_once(
    limiter: Limiter, moment: Any, took: Took, asking: Asking
) -> None:
    """A call that was sent after the cut and is refused cuts it again."""
    ask = asking()
    before = [took(ask) for _ in range(20)]
    moment.at += 1
    for one in before:
        limiter.told(ask, Told(one.at, refused=True, pause=1.0))
    first = took(ask)
    assert first.learned == pytest.approx(10 * 60)
    moment.at += 3
    limiter.told(ask, Told(first.at + first.wait, refused=True, pause=1.0))
    assert took(ask).learned == pytest.approx(10 * 60 * 1.1 / 2)


def test_an_endpoint_that_does_not_say_how_long_is_left_alone_longer_each_time(
    limiter: Limiter, moment: Any, took: Took, asking: Asking
) -> None:
    """One second, two, four, up to half a minute."""
    ask = asking()
    pauses: list[float] = []
    for _ in range(7):
        pace = took(ask)
        moment.at += pace.wait + 0.01
        limiter.told(ask, Told(moment.at, refused=True))
        pauses.append(round(limiter.told(ask, Told(moment.at))))
    assert pauses == [1, 2, 4, 8, 16, 30, 30]


def test_the_word_of_an_answer_that_nothing_is_left_counts(
    limiter: Limiter, moment: Any, took: Took, asking: Asking
) -> None:
    """Without a refusal everybody waits, and no rate is learned from it."""
    ask = asking()
    assert limiter.told(ask, Told(took(ask).at, pause=1.5)) == 1.5
    pace = took(asking(run="r2"))
    assert (pace.wait, pace.learned) == (1.5, 0.0)
    moment.at += 1.5
    assert took(ask).wait == 0.0


def test_another_model_is_not_concerned(limiter: Limiter, took: Took, asking: Asking) -> None:
    """Each endpoint and model has its own rate."""
    limiter.told(asking(), Told(took(asking()).at, refused=True, pause=100.0))
    assert took(asking(key="e/other")).wait == 0.0


def test_a_small_run_gets_its_share_beside_a_large_one(traffic: Any, asking: Asking) -> None:
    """Forty callers of one run and four of another, both wanting more than there is: half each."""
    traffic.add(asking("large", rpm=120), callers=40)
    traffic.add(asking("small", rpm=120), callers=4, begins=60)
    traffic.flow(60)
    traffic.sent.clear()
    traffic.flow(600)
    large, small = len(traffic.sent["large"]), len(traffic.sent["small"])
    assert large + small >= 120 * 10 * 0.85
    assert 0.6 < small / large < 1.6


def test_a_run_alone_gets_everything(traffic: Any, asking: Asking) -> None:
    """Others that ask only now and then take what they need, no more is kept free for them."""
    traffic.add(asking("large", rpm=120), callers=40)
    traffic.add(asking("rare", rpm=120), callers=1, latency=30)
    traffic.flow(600)
    assert len(traffic.sent["large"]) >= 120 * 10 * 0.8
    assert len(traffic.sent["rare"]) >= 16


def test_two_calls_at_the_same_moment_take_two_places(took: Took, asking: Asking) -> None:
    """The moment of a place is told, to be named in the answer."""
    paces = [took(asking(rpm=6)) for _ in range(3)]
    assert [one.wait for one in paces] == pytest.approx([0, 1 / 0.09, 2 / 0.09])
    assert {one.at for one in paces} == {paces[0].at}
