"""One suspect at a time; the others come back one after another, and none is forgotten."""

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
