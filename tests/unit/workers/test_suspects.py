"""One suspect at a time; the others come back one after another, and none is forgotten."""

import threading
from collections.abc import Callable

import pytest

from workers.suspects import LONGEST_PAUSE, Suspects


class Time:
    """Seconds that the test counts."""

    now = 100.0

    def __call__(self) -> float:
        """The present moment."""
        return self.now


def test_one_at_a_time() -> None:
    """The second is sent back while the first is at work, and let in afterwards."""
    suspects = Suspects()
    with suspects.alone("a") as a:
        with suspects.alone("b") as b:
            assert (a, b) == (0.0, 1.0)
        with suspects.alone("b") as again:
            assert again > 0
    with suspects.alone("b") as later:
        assert later == 0.0


def test_a_block_that_breaks_lets_the_next_one_in() -> None:
    """Whatever happens to the first, the second has its turn."""
    suspects = Suspects()
    with pytest.raises(ZeroDivisionError), suspects.alone("a"):
        raise ZeroDivisionError
    with suspects.alone("b") as seconds:
        assert seconds == 0.0


def test_they_come_back_in_line() -> None:
    """A thousand that wait do not all ask again each second: so many waits as stand before it; a minute at most."""
    suspects = Suspects(Time())
    with suspects.alone("first"):
        pauses: list[float] = []
        for n in range(1000):
            with suspects.alone(f"s{n}") as seconds:
                pauses.append(seconds)
    assert pauses[:3] == [1.0, 2.0, 3.0]
    assert pauses == sorted(pauses)
    assert pauses[-1] == LONGEST_PAUSE


def test_the_line_gets_shorter() -> None:
    """Who came back does not stand in it any more, nor does who asks again before its time."""
    time = Time()
    suspects = Suspects(time)
    with suspects.alone("first"):
        for name in ("a", "b", "c"):
            with suspects.alone(name):
                pass
        time.now += 2.0
        with suspects.alone("a") as a:
            assert a == 2.0
        with suspects.alone("a") as again:
            assert again == 2.0


def test_a_suspect_begins_when_no_claim_is_in_the_air(eventually: Callable[..., None]) -> None:
    """Another thread may just have claimed one that it will give back: until then nothing begins that could kill it."""
    suspects = Suspects()
    claimed, refused, begun = threading.Event(), threading.Event(), threading.Event()
    pauses: list[float] = []

    def neighbour() -> None:
        with suspects.claiming():
            claimed.set()
            assert refused.wait(60)
            with suspects.alone("neighbour") as seconds:
                pauses.append(seconds)
                assert not begun.is_set()

    def poison() -> None:
        with suspects.claiming() as busy, suspects.alone("poison") as seconds:
            begun.set()
            pauses.append(seconds)
            assert not busy

    threads = [threading.Thread(target=neighbour), threading.Thread(target=poison)]
    threads[0].start()
    assert claimed.wait(60)
    threads[1].start()
    eventually(lambda: _busy(suspects))
    assert not begun.is_set()
    refused.set()
    for thread in threads:
        thread.join(60)
    assert pauses == [1.0, 0.0]


def _busy(suspects: Suspects) -> bool:
    with suspects.claiming() as busy:
        return busy


def test_work_that_has_begun_keeps_no_suspect_waiting(
    eventually: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever is at work beside it would die by right of its own; and it says so, though its claim goes on."""
    monkeypatch.setattr("workers.suspects.CLAIM_SECONDS", 600.0)
    suspects = Suspects()
    begun, done, alone = threading.Event(), threading.Event(), threading.Event()

    def other() -> None:
        with suspects.claiming():
            suspects.begun()
            begun.set()
            assert done.wait(60)

    def poison() -> None:
        with suspects.claiming(), suspects.alone("poison"):
            alone.set()

    threads = [threading.Thread(target=other), threading.Thread(target=poison)]
    threads[0].start()
    assert begun.wait(60)
    threads[1].start()
    eventually(alone.is_set)
    done.set()
    for thread in threads:
        thread.join(60)


def test_those_that_are_not_claimed_stand_in_line_too() -> None:
    """With those that were claimed and sent back."""
    suspects = Suspects(Time())
    with suspects.alone("first"):
        assert suspects.pause() == 1.0
        suspects.stands_in_line("a", 1.0)
        assert suspects.pause() == 2.0
        with suspects.alone("b") as b:
            assert b == 2.0
        assert suspects.pause() == 3.0
