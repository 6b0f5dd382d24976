"""Wake-ups that come twice, late and in any order: nothing of what comes out depends on it."""

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest

WIDE = 5
Say = Callable[[Any, Any], Any]


def plan(*_: Any) -> Any:
    """Some subtasks side by side, a mapped one behind the first, and one behind all."""

    def one(key: str, *after: str, **more: Any) -> dict[str, Any]:
        edges = [{"subtask": name} for name in after]
        return {"key": key, "agent": "finder", "title": key, "instruction": "1 + 1", "after": edges, **more}

    side = [one(f"s{n}") for n in range(WIDE)]
    return {"subtasks": [*side, one("each", "s0", over={"items": [1, 2, 3]}), one("last", "each", "s1", "s2")]}


def find(briefing: Any, request: Any) -> Any:
    """Calculate, then say so."""
    if request.messages[-1].role != "tool":
        return [("calculator", {"expression": "1 + 1"})]
    return {"summary": f"{briefing['title']} is known."}


def work_in_disorder(engine: Any, rng: random.Random) -> None:
    """Deliver whatever was sent in another order, each some times over, old ones among them, until nothing moves."""
    old: list[str] = []
    while woken := engine.broker.take():
        old += woken
        delivered = [*woken, *woken, *rng.choices(old, k=2 * len(woken))]
        rng.shuffle(delivered)
        for subtask_id in delivered:
            engine.runner.run(subtask_id)


def turns_of(engine: Any, run_id: str) -> Sequence[tuple[str, str, int, int]]:
    """How each subtask ended, after how many turns and deaths."""
    return [(one.key, one.status.value, one.epoch, one.deaths) for one in engine.store.subtasks(run_id)]


@pytest.mark.parametrize("seed", range(3))
def test_any_order(flow: Callable[..., Any], seed: int) -> None:
    """As many turns, the same ends and the same answer as in the order in which they were sent."""
    engine = flow(planner=plan, specialist=find)
    calm = engine.run().run.id
    shaken = engine.submit().id
    work_in_disorder(engine, random.Random(seed))
    assert turns_of(engine, shaken) == turns_of(engine, calm)
    assert {status for _, status, _, _ in turns_of(engine, shaken)} == {"done"}
    assert engine.result(shaken).data["answer"] == engine.result(calm).data["answer"]
