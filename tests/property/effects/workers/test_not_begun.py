"""What the agent and the ledger are told of an attempt whose time was over before it was begun."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

Stage = Callable[..., AbstractContextManager[Any]]


def go_to(worker: Any, place: str) -> None:
    """Let the worker go on until it is there."""
    while worker.puppet.place != place:
        worker.puppet.tell("go")


def test_the_only_attempt(staged: Stage) -> None:
    """Nothing happened, and so it is told."""
    with staged(rounds=1) as stage:
        slow = stage.workers[0]
        slow.wake()
        go_to(slow, "after apply")
        stage.pass_time(90)
        slow.finish()
        stage.settle()
        stage.check()
        first, *others = stage.intents()
        result = stage.steps()[0].results[0]
        assert (first.status, stage.world.effects(first.key), "no_time" in result.shown) == ("failed", 0, True)
        assert [(one.status, stage.world.effects(one.key)) for one in others] == [("happened", 1)] * 3


def test_another_attempt(staged: Stage) -> None:
    """The attempt before it may have taken effect, as it did here: it is found out, never told to be undone."""
    with staged(rounds=1) as stage:
        slow = stage.workers[0]
        slow.wake()
        go_to(slow, "after keyed")
        slow.puppet.tell("fail")
        while not (again := [one for one in stage.intents() if one.attempt == 2]):
            slow.puppet.tell("go")
        assert [(one.tool, one.status, slow.puppet.place) for one in again] == [("keyed", "intended", "after apply")]
        stage.pass_time(90)
        slow.finish()
        stage.settle()
        stage.check()
        assert [(one.status, stage.world.effects(one.key)) for one in stage.intents()] == [("happened", 1)] * 4
