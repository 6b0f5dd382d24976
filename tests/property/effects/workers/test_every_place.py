"""One turn that is cut off at each place it comes to, in each way, and what the workers after it make of that."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from itertools import count
from typing import Any

import pytest

MOST_PLACES = 100
Stage = Callable[..., AbstractContextManager[Any]]


def cut_off_at(stage: Any, place: int, how: Callable[[Any], None]) -> bool:
    """Let the first worker come to its `place`-th place, and be cut off there; False: its turn has fewer."""
    worker = stage.workers[0]
    worker.wake()
    for _ in range(place):
        if not worker.busy:
            break
        worker.puppet.tell("go")
    if not worker.busy:
        return False
    how(stage)
    return True


def crash(stage: Any) -> None:
    """SIGKILL."""
    stage.crash(0)


def lose(stage: Any) -> None:
    """The database is away, the answer to a commit or a call is lost."""
    stage.workers[0].puppet.tell("fail")


def suspend(stage: Any) -> None:
    """SIGSTOP until another worker looked just after the call's deadline, and SIGCONT."""
    stage.be_overtaken(0, (45, 18))


def suspend_long(stage: Any) -> None:
    """SIGSTOP until another worker has done all that it may, and SIGCONT."""
    stage.be_overtaken(0, (45, 45))


@pytest.mark.parametrize(
    ("how", "sure"),
    [(crash, True), (crash, False), (lose, True), (lose, False), (suspend, True), (suspend_long, True)],
)
def test_every_place(staged: Stage, how: Callable[[Any], None], sure: bool) -> None:
    """Wherever a turn is cut off, each call took effect exactly once when everything has come to its end."""
    for place in count():
        assert place < MOST_PLACES, "it does not come to its end"
        with staged(rounds=1) as stage:
            stage.world.sure = sure
            if not cut_off_at(stage, place, how):
                assert place > 20
                return
            stage.settle()
            stage.check()
            effects = {intent.key: stage.world.effects(intent.key) for intent in stage.intents()}
            assert set(effects.values()) == {1}, f"place {place}: {effects}"
