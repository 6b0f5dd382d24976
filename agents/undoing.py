"""Undoing: which of a run's effects are undone, in what order, and what is done about one that cannot be."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.models.playbook import Action, Policy, Seen, Use, View, answer, use

LOOK = "look_after"
ASK = "ask_a_person"
UNDO = "undo"


@dataclass(frozen=True, slots=True)
class Deed:
    """A call that took effect, or may have. `key`: its idempotency key; `ref`: the observation that it made."""

    key: str
    tool: str
    arguments: Mapping[str, Any]
    sure: bool
    """False: nobody stored how it ended."""
    undoable: bool
    """True when its tool says how."""
    settled_by_code: bool
    """True when not knowing how an undoing ended does not become a question by itself."""
    ref: str | None = None
    lost: str = ""
    """Why its tool cannot be asked any more how to undo it; a person is asked then."""


def undo_name(tool: str) -> str:
    """What undoing the calls of a tool is called in the ledger."""
    return f"{UNDO}:{tool}"


def undoing(deeds: Sequence[Deed]) -> Policy:
    """The policy that undoes the deeds, the first one first; one after another, for they may build on each other."""

    def policy(view: View) -> Action:
        seen: dict[str, list[Seen]] = {}
        for one in view.observations:
            seen.setdefault(str(one.arguments["effect"]), []).append(one)
        for deed in deeds:
            action = _next(deed, seen.get(deed.key, []))
            if action is not None:
                return action
        return answer(told(deeds, seen))

    return policy


def told(deeds: Sequence[Deed], seen: Mapping[str, Sequence[Seen]]) -> str:
    """What became of the deeds, for whoever cancelled."""
    if not deeds:
        return "There was nothing to undo."
    lines = [f"`{deed.tool}` ({deed.key}): {_became(deed, seen.get(deed.key, ()))}" for deed in deeds]
    return "\n".join(lines)


def _next(deed: Deed, seen: Sequence[Seen]) -> Use | None:
    """What is to be done about a deed; None: it is over with."""
    if not seen:
        return _first(deed)
    last = seen[-1]
    looked = next((one.ref for one in seen if one.tool == LOOK and _says(one, "happened")), None)
    if last.tool == LOOK:
        return _undo(deed, 1, looked) if looked else None
    if last.tool == ASK:
        return _undo(deed, _attempt(last) + 1, looked) if _says(last, "again") else None
    if last.ok or (last.error.get("code") == "outcome_unknown" and not deed.settled_by_code):
        return None
    return _ask(deed, _attempt(last), last.summary)


def _first(deed: Deed) -> Use | None:
    if deed.lost:
        return _ask(deed, 1, deed.lost)
    if not deed.undoable:
        return None
    return _undo(deed, 1, None) if deed.sure else _look(deed)


def _became(deed: Deed, seen: Sequence[Seen]) -> str:
    if not seen:
        return "its tool cannot undo it" if deed.sure else "it may have happened; its tool cannot undo it"
    last = seen[-1]
    if last.tool == LOOK:
        return "it did not happen" if _says(last, "not_done") else "it is unclear whether it happened; left as it is"
    if last.tool == ASK:
        return "undone by a person" if _says(last, "by_hand") else f"left as it is: {last.arguments['why']}"
    return "undone" if last.ok else "it is unclear whether it was undone; left as it is"


def _says(seen: Seen, value: str) -> bool:
    """True when looking, or a person, came to this."""
    return isinstance(seen.data, dict) and value in {seen.data.get("outcome"), seen.data.get("answer")}


def _attempt(seen: Seen) -> int:
    return int(seen.arguments["attempt"])


def _ask(deed: Deed, attempt: int, why: str) -> Use:
    return use(ASK, "It could not be undone.", effect=deed.key, attempt=attempt, why=why)


def _look(deed: Deed) -> Use:
    return use(LOOK, "Nobody stored whether it happened.", effect=deed.key)


def _undo(deed: Deed, attempt: int, looked: str | None) -> Use:
    thought = "The run was cancelled."
    given = {"arguments": dict(deed.arguments), "ref": looked or deed.ref, "looked": looked is not None}
    return use(undo_name(deed.tool), thought, effect=deed.key, attempt=attempt, **given)
