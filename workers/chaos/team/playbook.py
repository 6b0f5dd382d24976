"""The playbooks of the proof: what is to be done is fixed, so the answer is the same whatever was broken meanwhile."""

from collections.abc import Sequence
from typing import Any

from agents.models.playbook import Action, View, answer, use

MOST_CALLS = 20
"""How often a call that did not succeed is made anew before the agent gives up."""


def plan(view: View) -> Action:
    """Clerks and couriers work on the orders side by side, a person is asked meanwhile, and all is added up."""
    if view.briefing["predecessors"]:
        return answer({"answer": "There is no other way."})
    over = {"subtask": "list", "list": "orders"}
    planned = [
        _planned("list", "lister"),
        {**_planned("books", "clerk"), "after": [{"subtask": "list"}], "over": over},
        {**_planned("rounds", "courier"), "after": [{"subtask": "list"}], "over": over},
        _planned("ask", "asker"),
    ]
    after = [{"subtask": key, "needs": "any"} for key in ("books", "rounds", "ask")]
    return answer({"subtasks": [*planned, {**_planned("sum", "adder"), "after": after}]})


def _planned(key: str, agent: str) -> dict[str, Any]:
    return {"key": key, "agent": agent, "title": f"The {key}", "instruction": f"Do the {key}."}


def list_orders(view: View) -> Action:
    """As many orders as the goal says."""
    count = int(view.briefing["goal"]["parameters"]["orders"])
    return answer({"summary": "The orders are known.", "data": {"orders": list(range(1, count + 1))}})


def keep_books(view: View) -> Action:
    """Look the order up, file it, pay it, then say what it costs."""
    todo = _next(view, ("chaos.look", "chaos.put", "chaos.pay"))
    if todo is not None:
        return todo
    seen = next(one for one in view.seen("chaos.look") if one.ok)
    said = f"It costs {seen.data['price']} [{seen.ref}]."
    return answer({"summary": said, "data": {"price": seen.data["price"]}, "evidence": [seen.ref]})


def carry(view: View) -> Action:
    """Send the order and post its bill."""
    todo = _next(view, ("chaos.send", "chaos.post"))
    if todo is not None:
        return todo
    done = [one.ref for one in view.observations if one.ok]
    return answer({"summary": "It is on its way.", "data": {"carried": view.briefing["item"]}, "evidence": done})


def _next(view: View, tools: Sequence[str]) -> Action | None:
    """The first call that has not succeeded; one that surely did not happen is made anew."""
    for name in tools:
        seen = view.seen(name)
        if any(one.ok for one in seen):
            continue
        if len(seen) >= MOST_CALLS:
            return answer({"summary": f"{name} does not succeed.", "data": {}})
        ledger = view.briefing["goal"]["parameters"]["ledger"]
        return use(name, "That is next.", ledger=ledger, number=view.briefing["item"], turn=len(seen) + 1)
    return None


def ask(view: View) -> Action:
    """Ask for a word, once."""
    if not view.observations:
        return use("escalate", "Only a person knows the word.", question="Which word?", answer_type="text")
    got = view.observations[-1]
    return answer({"summary": "The word is known.", "data": {"word": got.data["answer"]}, "evidence": [got.ref]})


def add_up(view: View) -> Action:
    """Add up all prices."""
    if view.observations:
        got = view.observations[-1]
        files = [f"{got.ref}/{name}" for name in got.artifacts]
        said = f"{got.summary} [{got.ref}]"
        return answer({"summary": said, "evidence": [got.ref], "result": got.ref, "artifacts": files})
    before = {one["key"]: one["data"] for one in view.briefing["predecessors"]}
    prices = [one["data"].get("price", 0) for one in before["books"]["items"]]
    carried = [one["data"].get("carried", 0) for one in before["rounds"]["items"]]
    word = str(before["ask"].get("word", ""))
    return use("chaos.add", "Together.", prices=sorted(prices), carried=sorted(carried), word=word)


def compose(view: View) -> Action:
    """Say the sum, and what went wrong."""
    before = view.briefing["predecessors"]
    last = next(one for one in before if one["key"] == "sum")
    wrong = [one["text"] for one in before if one["status"] == "failed"]
    files = list(last["artifacts"])
    return answer({"answer": "\n\n".join([last["text"], *wrong]), "result": last["result"], "artifacts": files})


def review(view: View) -> Action:
    """The code's own check is enough."""
    del view
    return answer({"verdict": "pass", "note": "good"})
