"""What of a pinned team this version of Remit and of its modules would break, so that nobody finds out by a run."""

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any, cast

from agents.catalog.pinning import FORM, unpin
from agents.catalog.team import Team
from agents.models.playbook import NAME as PLAYBOOK
from agents.models.playbook import load_playbook
from agents.references import resolved
from agents.tools.registry import load_tool
from orchestrator.errors import RemitError, TeamError

_ONLY_SAID = frozenset({"description", "title", "examples", "default"})
"""What a schema tells a model and no call is checked against."""


def outdated(text: str) -> tuple[str, ...]:
    """One line for each thing of a pinned team that is gone or has changed; texts and models are pinned and fine."""
    try:
        team = unpin(text)
        pinned: Mapping[str, Any] = json.loads(text)
        form = pinned.get("form")
    except RemitError as error:
        return (str(error),)
    if form != FORM:
        return (f"its team was written down in form {form}, this version reads form {FORM}",)
    return (*_tools(pinned.get("tools", {})), *_playbooks(team), *_functions(team))


def outdated_tools(text: str, references: Collection[str]) -> tuple[str, ...]:
    """The same for these tools alone, as the team's file names them."""
    pinned: Mapping[str, Any] = json.loads(text)["tools"]
    return tuple(_tools({name: pinned[name] for name in references if name in pinned}))


def _tools(pinned: Mapping[str, Any]) -> Iterator[str]:
    for name, before in sorted(pinned.items()):
        try:
            tool = load_tool(name)
        except TeamError as error:
            yield f"tool `{name}` is gone: {error.what}"
            continue
        if tool.effect != before["effect"]:
            yield f"tool `{name}` had the effect `{before['effect']}`, now it has `{tool.effect}`"
        changed = sorted(_changed(before["arguments"], tool.schema()))
        if changed:
            yield f"tool `{name}` takes other arguments now: {', '.join(changed)}"


def _changed(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """The arguments that a call may not be given any more, or not as before; the schema itself when it is its rest."""
    old, new = before.get("properties", {}), now.get("properties", {})
    needed_before, needed_now = set(before.get("required", [])), set(now.get("required", []))
    for name in old:
        if name not in new:
            yield f"`{name}` is gone"
        elif _rules(old[name]) != _rules(new[name]):
            yield f"`{name}` is of another kind"
    for name in needed_now - needed_before:
        yield f"`{name}` is needed now"
    rest = {"properties", "required"}
    if _rules({k: v for k, v in before.items() if k not in rest}) != _rules(
        {k: v for k, v in now.items() if k not in rest}
    ):
        yield "what its arguments are made of has changed"


def _rules(schema: object, *, names: bool = False) -> object:
    """A schema without what it only tells; `names`: its keys are what arguments are called."""
    if isinstance(schema, dict):
        fields = cast("dict[str, object]", schema)
        return {
            name: _rules(inner, names=name == "properties" and not names)
            for name, inner in fields.items()
            if names or name not in _ONLY_SAID
        }
    if isinstance(schema, list):
        return [_rules(inner) for inner in cast("list[object]", schema)]
    return schema


def _playbooks(team: Team) -> Iterator[str]:
    used = {agent.playbook for agent in team.agents() if agent.model == PLAYBOOK}
    for reference in sorted(one or "" for one in used):
        try:
            load_playbook(reference)
        except TeamError as error:
            yield f"playbook `{reference}` is gone: {error.what}"


def _functions(team: Team) -> Iterator[str]:
    if team.draft is None:
        return
    try:
        resolved(team.draft)
    except TeamError as error:
        yield f"its draft `{team.draft}` is gone: {error.what}"
