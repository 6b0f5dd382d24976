"""The one exception: a process that is stopped inside the send, after its last look at the time, may still send."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest


@pytest.mark.parametrize(
    ("kind", "events"),
    [
        ("unsafe", ["not happened", "effect", "effect"]),
        ("verified", ["not happened", "effect", "effect"]),
        ("keyed", ["effect"]),
    ],
)
def test_stopped_inside_the_send(
    staged: Callable[..., AbstractContextManager[Any]], outside: Any, kind: str, events: list[str]
) -> None:
    """It wakes up when another worker has done the call again: only the other side can tell, if it knows the key."""
    with staged(outside.stopped_tools) as stage:
        stopped = stage.workers[0]
        stopped.wake()
        while stopped.puppet.place != f"inside {kind}":
            stopped.puppet.tell("go")
        intent = stage.intents()[-1]
        assert (intent.tool, intent.status) == (kind, "intended")
        stopped.frozen = True
        stage.workers[1].finish()
        while not stage.ended:
            stage.go_round(1)
        before = stage.steps()
        stopped.frozen = False
        stopped.finish()
        stage.settle()
        assert stage.world.events[intent.key] == events
        assert stage.steps() == before
        assert set(stage.world.twice()) == ({intent.key} if kind != "keyed" else set())
