"""CPU of a whole run of 100 subtasks, and of one of 10,000, from the goal to the answer."""

import time
from collections.abc import Mapping
from typing import Any

from agents.models.base import ModelRequest
from bench.durability.engine import Engine, engine

SMALL, LARGE = 100, 10_000


def run(count: int, url: str | None) -> float:
    """CPU seconds of this process for a run whose subtasks are so many."""

    def say(briefing: Mapping[str, Any], request: ModelRequest) -> Any:
        del request
        match briefing["kind"], briefing["title"]:
            case "planner", _:
                return PLAN
            case "specialist", "List":
                return {"summary": "Listed.", "data": {"things": list(range(count))}}
            case "specialist", _:
                return {"summary": "I looked."}
            case "composer", _:
                return {"answer": "All was looked at."}
            case _:
                return {"verdict": "pass", "note": "good"}

    with engine(say, url) as made:
        run_id = made.submit().id
        used = time.process_time()
        _work(made)
        used = time.process_time() - used
        ended = made.store.run_of(f"{run_id}/plan")
        assert ended.status == "done", (ended.status, ended.outcome)
        assert sum(made.store.statuses(run_id).values()) >= count
        return used


PLAN = {
    "subtasks": [
        {"key": "list", "agent": "looker", "title": "List", "instruction": "List."},
        {
            "key": "look",
            "agent": "looker",
            "title": "Look",
            "instruction": "Look.",
            "after": [{"subtask": "list"}],
            "over": {"subtask": "list", "list": "things"},
        },
    ]
}


def _work(made: Engine) -> None:
    """Run turns until nothing moves."""
    while made.work():
        pass
