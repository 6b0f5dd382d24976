"""Builds the opening of a transcript from who the agent is, what is to be done and what is known; purely."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from jinja2 import Environment, StrictUndefined, Template

from agents.catalog.team import AgentKind, AgentSpec
from agents.content import plain
from agents.fences import encoded, fenced, parse_briefing
from agents.models.base import Message
from agents.prompts import role_prompt, template
from agents.shrinking import shrink
from orchestrator.domain.goal import Goal

__all__ = ["Briefing", "Predecessor", "opening", "parse_briefing"]

ROOM = 60_000
"""Characters that all findings of predecessors may take together."""
ROOM_EACH = 3_000
"""Characters that each of them gets at least."""


@dataclass(frozen=True, slots=True)
class Predecessor:
    """What an earlier subtask found: the finding, not the transcript."""

    key: str
    title: str
    status: str
    text: str
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])
    evidence: tuple[str, ...] = ()
    result: str | None = None
    artifacts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Briefing:
    """Everything that an agent is told before it begins."""

    kind: AgentKind
    agent: AgentSpec
    goal: Goal
    title: str
    instruction: str
    inputs: tuple[str, ...] = ()
    """Names of the inputs that this subtask may use; of the goal's files."""
    item: Any = None
    """The one item of a mapped subtask."""
    output: Mapping[str, Any] | None = None
    """The JSON Schema that the answer's `data` has to fit."""
    feedback: tuple[str, ...] = ()
    """Why an earlier attempt was sent back."""
    predecessors: tuple[Predecessor, ...] = ()
    has_more: bool = False
    """True when there are more predecessors than are listed."""
    specialists: tuple[AgentSpec, ...] = ()
    """For planners: who can be given a subtask."""
    facts: tuple[str, ...] = ()
    """What code found out already, such as the check of figures for reviewers."""


def opening(briefing: Briefing) -> tuple[Message, ...]:
    """The system message (the same for every subtask of the agent) and the user message."""
    agent = briefing.agent
    role = agent.role or role_prompt(briefing.kind)
    told = f"{role}\n\n# What your team tells you\n\n{agent.instructions}" if agent.instructions else role
    return Message("system", told), Message("user", _user(briefing))


def _user(briefing: Briefing) -> str:
    block = fenced("briefing", {}, encoded(plain(_block(briefing), "briefing")))
    return _template().render(
        title=briefing.title,
        instruction=briefing.instruction,
        feedback=briefing.feedback,
        facts=briefing.facts,
        mapped=briefing.item is not None,
        output=None if briefing.output is None else encoded(plain(dict(briefing.output))),
        has_more=briefing.has_more,
        block=block,
    )


def _block(briefing: Briefing) -> dict[str, Any]:
    files = {file.name: file.filename for file in briefing.goal.inputs}
    room = max(ROOM_EACH, ROOM // max(1, len(briefing.predecessors)))
    return {
        "kind": briefing.kind,
        "agent": briefing.agent.name,
        "title": briefing.title,
        "instruction": briefing.instruction,
        "goal": {"text": briefing.goal.text, "parameters": briefing.goal.parameters},
        "inputs": {name: files.get(name, name) for name in briefing.inputs},
        "item": briefing.item,
        "predecessors": [_predecessor(one, room) for one in briefing.predecessors],
        "has_more": briefing.has_more,
        "feedback": list(briefing.feedback),
        "facts": list(briefing.facts),
        "specialists": [_specialist(one) for one in briefing.specialists],
    }


def _specialist(one: AgentSpec) -> dict[str, Any]:
    return {"name": one.name, "about": one.about, "tools": list(one.tools)}


def _predecessor(one: Predecessor, room: int) -> dict[str, Any]:
    told = {
        "key": one.key,
        "title": one.title,
        "status": one.status,
        "text": one.text,
        "data": plain(dict(one.data)),
        "evidence": list(one.evidence),
        "result": one.result,
        "artifacts": list(one.artifacts),
    }
    shown, cuts = shrink(told, room)
    if cuts:
        shown["left_out"] = [f"{cut.kept:,} of {cut.of:,} {cut.unit} of {cut.path}" for cut in cuts[:5]]
    return shown


@cache
def _template() -> Template:
    # Autoescape is for HTML; this text goes to a model, and what is data in it stands inside a fence.
    environment = Environment(undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True)  # noqa: S701
    return environment.from_string(template("opening.md.j2"))
