"""A subtask without a model: the one call that its plan fixed is made, and what it gives is the finding."""

from collections.abc import Mapping
from typing import Any, cast

from agents.errors import ModelRefusedError
from agents.models.playbook import Action, Playbook, Seen, View, answer, use
from orchestrator.domain.plan import FixedCall

MOST_TRIES = 2
"""How often the call is made while its tool says that the same call may succeed later."""
_ITEM = "$item"


def fixed_call(call: FixedCall, tool: str) -> Playbook:
    """The Model that calls `tool` as the plan says and answers with what it gave; a failed call fails the subtask."""

    def policy(view: View) -> Action:
        if not view.observations:
            return use(tool, "The plan fixed this call.", **filled(call.arguments, view.briefing["item"]))
        last = view.observations[-1]
        if last.ok:
            return answer(_finding(last))
        if last.error.get("retryable") and len(view.observations) < MOST_TRIES and not view.last_call:
            return use(tool, "It may succeed now.", **last.arguments)
        return answer({"status": "failed", "summary": f"`{tool}` failed: {last.summary}", "evidence": _refs(last)})

    return Playbook(policy, f"fixed call of {tool}")


def filled(arguments: Mapping[str, Any], item: Any) -> dict[str, Any]:
    """The arguments with the item of a mapped subtask in its places. Raises ModelRefusedError for a missing field."""
    return {name: _filled(value, item) for name, value in arguments.items()}


def awaits_item(value: Any) -> bool:
    """True when a place for the item stands somewhere in the value."""
    if isinstance(value, str):
        return value == _ITEM or value.startswith(f"{_ITEM}.")
    if isinstance(value, dict):
        return any(map(awaits_item, cast("dict[str, Any]", value).values()))
    return isinstance(value, list | tuple) and any(map(awaits_item, cast("list[Any]", value)))


def _filled(value: Any, item: Any) -> Any:
    if isinstance(value, str) and awaits_item(value):
        return _field(value, item)
    if isinstance(value, dict):
        return filled(cast("dict[str, Any]", value), item)
    if isinstance(value, list | tuple):
        return [_filled(one, item) for one in cast("list[Any]", value)]
    return value


def _field(place: str, item: Any) -> Any:
    """What stands at `$item.a.b` of the item."""
    found = item
    for name in place.split(".")[1:]:
        if not isinstance(found, dict) or name not in found:
            raise ModelRefusedError(f"the item has no `{place.removeprefix(_ITEM + '.')}`", where=place)
        found = cast("dict[str, Any]", found)[name]
    return found


def _refs(seen: Seen) -> list[str]:
    return [seen.ref] if seen.ref else []


def _finding(seen: Seen) -> dict[str, Any]:
    data: Any = seen.data
    return {
        "summary": " ".join((f"{seen.summary} [{seen.ref}]", *((seen.more,) if seen.more else ()))),
        "data": data if isinstance(data, dict) else {} if data is None else {"value": data},
        "evidence": _refs(seen),
        "result": seen.ref,
        "artifacts": [f"{seen.ref}/{name}" for name in seen.artifacts],
    }
