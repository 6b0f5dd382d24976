"""What the children of a mapped subtask are told in a whole run."""

from collections.abc import Callable
from typing import Any


def test_children_are_told_of_the_beginning_of_a_long_list(flow: Callable[..., Any]) -> None:
    """Of 120 items each child has its own and sees the first hundred; who comes after the group has all results."""
    told: dict[int, dict[str, Any]] = {}
    joined: list[int] = []

    def plan(*_: Any) -> Any:
        listed = {"key": "a", "agent": "finder", "title": "List", "instruction": "List."}
        each = {"key": "each", "agent": "finder", "title": "Each", "instruction": "Do it.", "after": [{"subtask": "a"}]}
        return {"subtasks": [listed, {**each, "over": {"subtask": "a", "list": "items"}}]}

    def find(briefing: Any, _: Any) -> Any:
        if briefing["item"] is None:
            return {"summary": "Listed.", "data": {"items": list(range(120)), "note": "all"}}
        told[briefing["item"]] = briefing["predecessors"][0]["data"]
        return {"summary": "Done."}

    def compose(briefing: Any, _: Any) -> Any:
        joined.extend(len(one["data"].get("items", ())) for one in briefing["predecessors"])
        return {"answer": "Done."}

    assert flow(planner=plan, specialist=find, composer=compose).run().state == "done"
    assert sorted(told) == list(range(120))
    left_out = "20 of 120 items of items; yours is `item`"
    assert all(one == {"items": list(range(100)), "note": "all", "left_out": left_out} for one in told.values())
    assert 120 in joined
