"""A model that is a playbook: a deterministic policy gives the next action from what the transcript holds."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from agents.errors import ModelRefusedError
from agents.fences import parse_briefing, parse_shown
from agents.models.base import Call, Message, ModelReply, ModelRequest, Usage
from agents.references import resolved
from orchestrator.errors import TeamError

NAME = "playbook"
_OPENING = 2
"""Messages before the first step: system and briefing."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One observation as the agent reads it, with the call that it answers."""

    tool: str
    arguments: Mapping[str, Any]
    ok: bool
    summary: str
    data: Any = None
    ref: str | None = None
    error: Mapping[str, Any] = field(default_factory=dict[str, Any])
    more: str | None = None
    """Set when `data` is not the whole result."""
    artifacts: tuple[str, ...] = ()
    """Names of the files that the tool made; an answer names them `<ref>/<name>`."""
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class View:
    """What a policy decides on: the same that a model would read."""

    briefing: Mapping[str, Any]
    """The briefing's facts; its keys are those of `agents.briefing`."""
    observations: tuple[Seen, ...] = ()
    notices: tuple[str, ...] = ()
    """What Remit or a person told the agent since, oldest first."""
    last_call: bool = False
    """True when no tool may be used any more (or the agent has none): answer now."""

    def seen(self, tool: str) -> tuple[Seen, ...]:
        """The observations of one tool, oldest first."""
        return tuple(one for one in self.observations if one.tool == tool)


@dataclass(frozen=True, slots=True)
class Use:
    """Use a tool."""

    tool: str
    thought: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """Answer: the subtask is done."""

    text: str
    thought: str


Action = Use | Sequence[Use] | Reply
Policy = Callable[[View], Action]


def use(tool: str, thought: str, /, **arguments: Any) -> Use:
    """The action of using a tool; return a list of them to use several at once."""
    return Use(tool, thought, arguments)


def answer(content: Any, thought: str = "") -> Reply:
    """The action of answering, with a text or with a JSON value in the form that the agent's kind answers in."""
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, allow_nan=False)
    return Reply(text, thought)


def load_playbook(reference: str) -> "Playbook":
    """The playbook at `module:function`. Raises TeamError."""
    policy = resolved(reference)
    if not callable(policy):
        raise TeamError(f"it is a {type(policy).__name__}, not a function", where=f"playbook `{reference}`")
    return Playbook(cast("Policy", policy), reference)


class Playbook:
    """The Model port around a policy; it costs nothing and never waits."""

    def __init__(self, policy: Policy, reference: str = NAME) -> None:
        self._policy = policy
        self._reference = reference

    @property
    def name(self) -> str:
        """Always `playbook`."""
        return NAME

    def complete(self, request: ModelRequest) -> ModelReply:
        """The policy's next action as a reply. Raises ModelRefusedError when the policy fails."""
        try:
            action = self._policy(view_of(request))
        except ModelRefusedError:
            raise
        except Exception as error:
            what = f"the playbook failed: {type(error).__name__}: {error}"
            raise ModelRefusedError(what, where=self._reference, mend="Mend the playbook, or give a model.") from error
        if isinstance(action, Reply):
            return _reply(action.text, action.thought)
        uses = (action,) if isinstance(action, Use) else tuple(action)
        if not request.tools:
            return _reply("", " ".join(one.thought for one in uses))
        return _calls(uses, request.step)


def view_of(request: ModelRequest) -> View:
    """What a policy is given of a transcript."""
    later = request.messages[_OPENING:]
    calls = {call.id: call for message in later for call in message.calls}
    return View(
        briefing=parse_briefing(request.messages[_OPENING - 1].text),
        observations=tuple(_seen(message, calls) for message in later if message.role == "tool"),
        notices=tuple(message.text for message in later if message.role == "user"),
        last_call=not request.tools,
    )


def _seen(message: Message, calls: Mapping[str, Call]) -> Seen:
    call = calls[message.call_id or ""]
    shown = parse_shown(message.text)
    return Seen(
        tool=call.tool,
        arguments=call.arguments,
        ok=bool(shown["ok"]),
        summary=shown["summary"],
        data=shown["data"],
        ref=shown["ref"],
        error=shown.get("error", {}),
        more=shown.get("more"),
        artifacts=tuple(name.removeprefix(f"{shown['ref']}/") for name in shown.get("artifacts", ())),
        call_id=call.id,
    )


def _reply(text: str, thought: str) -> ModelReply:
    return ModelReply(text=text, calls=(), finish="stop", usage=Usage(NAME, cost="0"), thought=thought)


def _calls(uses: Sequence[Use], step: int) -> ModelReply:
    calls = tuple(Call(f"c{step}.{index}", one.tool, dict(one.arguments)) for index, one in enumerate(uses))
    thought = "\n".join(dict.fromkeys(one.thought for one in uses if one.thought))
    return ModelReply(text="", calls=calls, finish="calls", usage=Usage(NAME, cost="0"), thought=thought)
