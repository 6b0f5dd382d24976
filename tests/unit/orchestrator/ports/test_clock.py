"""Deadlines: a time, or somebody's word that the work is not wanted any more."""

import threading
from concurrent.futures import ThreadPoolExecutor

from orchestrator.ports.clock import Deadline


def test_waiting_ends_when_it_is_stopped() -> None:
    """Though the time of the wait, and of the deadline, is far from over."""
    stopped = threading.Event()
    deadline = Deadline.after(10**6, stopped.is_set)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(deadline.wait, 10**5)
        assert not waiting.done()
        stopped.set()
        waiting.result(60)


def test_waiting_ends_with_the_deadline() -> None:
    """Not later; and a wait of its own length leaves the deadline as it is."""
    Deadline.after(0.01).wait(10**6)
    deadline = Deadline.after(10**6)
    deadline.wait(0.01)
    assert not deadline.passed()


def test_a_stopped_deadline_leaves_no_time() -> None:
    """Also one that was made sooner."""
    deadline = Deadline.after(10**6, lambda: True)
    assert (deadline.left(), deadline.passed(), deadline.is_stopped()) == (0.0, True, True)
    assert deadline.sooner(5).is_stopped()
