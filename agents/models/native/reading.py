"""Reads the reply of a chat-completions server: its text, its calls under our ids, why it ended."""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from agents.models.base import Call, Finish, ToolSpec
from agents.models.native.leftovers import Leftovers, completed
from agents.models.native.writing import CALLS, PLAIN, SIGNED, THOUGHT, takes_thought
from agents.protocols.arguments import read_arguments
from agents.protocols.call_ids import own_id
from agents.protocols.json_text import loads, loads_exactly, whole_characters
from agents.protocols.names import called_name, name_in_id
from agents.protocols.thoughts import text_of

log = logging.getLogger(__name__)

_CUT = frozenset({"length", "max_tokens", "model_length", "max_output_tokens"})
_FILTERED = frozenset({"content_filter", "safety", "refusal", "recitation"})


class NoReplyError(ValueError):
    """What the server sent holds no reply; the message says what it holds instead."""


@dataclass(frozen=True, slots=True)
class NativeReply:
    """One whole reply, read; `opaque` is the provider's own payload."""

    text: str
    calls: tuple[Call, ...]
    finish: Finish
    thought: str = ""
    opaque: dict[str, Any] = field(default_factory=dict[str, Any])
    faults: tuple[str, ...] = ()
    """Why a call that was begun in the text cannot be read; then the text is no answer either."""


def read_body(raw: bytes) -> object:
    """Decode the bytes of a reply. Raises ValueError."""
    body = loads(raw)
    # Arguments given as an object were numbers of any size, which only the exact reader keeps.
    return loads_exactly(raw) if _has_object_arguments(body) else body


def _has_object_arguments(body: object) -> bool:
    try:
        calls = cast("Any", body)["choices"][0]["message"]["tool_calls"] or ()
        return any(not isinstance(call["function"]["arguments"], str) for call in calls)
    except (TypeError, KeyError, IndexError):
        return False


def decode_reply(body: object, tools: Sequence[ToolSpec], step: int) -> NativeReply:
    """Read the reply in a decoded body. Ids of calls are ours, whatever the server sent. Raises NoReplyError."""
    choice = _first_choice(body)
    message = choice.get("message")
    if not isinstance(message, Mapping):
        raise NoReplyError("the first choice holds no message")
    message = cast("Mapping[str, Any]", message)
    thought, text = text_of(message.get("content"))
    refusal = message.get("refusal")
    reason = choice.get("finish_reason")
    left = Leftovers(text, _calls(message, tools, step))
    # What was cut off is never completed by a guess, nor run.
    if tools and _finish(reason, left.calls, refused=bool(refusal)) not in {"length", "filter"}:
        left = completed(left, tools, step)
    calls, asked = _without_thoughts(left.calls, tools)
    left = replace(left, calls=calls)
    opaque = {key: message[key] for key in (PLAIN, *SIGNED) if message.get(key)}
    if signed := _signed(message, step):
        opaque[CALLS] = signed
    return NativeReply(
        text=whole_characters(refusal if not text and isinstance(refusal, str) else left.text),
        calls=left.calls,
        finish=_finish(reason, left.calls, refused=bool(refusal)),
        thought=whole_characters("\n".join(part for part in (_reasoning(message), thought, asked) if part)),
        opaque=opaque,
        faults=left.faults,
    )


def _first_choice(body: object) -> Mapping[str, Any]:
    if not isinstance(body, Mapping):
        raise NoReplyError(f"the body is no JSON object but {_begin(body)}")
    members = cast("Mapping[str, Any]", body)
    choices = members.get("choices")
    if not isinstance(choices, list) or not choices:
        raise NoReplyError(f"the body holds no choices: {_begin(members)}")
    choice = cast("list[Any]", choices)[0]
    if not isinstance(choice, Mapping):
        raise NoReplyError("the first choice is no object")
    return cast("Mapping[str, Any]", choice)


def _calls(message: Mapping[str, Any], tools: Sequence[ToolSpec], step: int) -> tuple[Call, ...]:
    raw = message.get("tool_calls")
    sent = list(cast("list[Any]", raw)) if isinstance(raw, list) else []
    if isinstance(legacy := message.get("function_call"), Mapping):
        sent.append({"function": legacy})
    offered = [tool.name for tool in tools]
    calls: list[Call] = []
    for item in sent:
        function, name = _function(item)
        if name is None:
            log.warning("a call without a tool's name was left out of the reply: %s", _begin(item))
            continue
        arguments = read_arguments(function.get("arguments", ""))
        call_id = own_id(step, len(calls))
        calls.append(Call(call_id, called_name(name, offered), arguments.value, arguments.malformed))
    return tuple(calls)


def _without_thoughts(calls: Sequence[Call], tools: Sequence[ToolSpec]) -> tuple[tuple[Call, ...], str]:
    """The calls without the argument that is not their tools' own, and what was thought in it."""
    own = {tool.name for tool in tools if takes_thought(tool.parameters)}
    thoughts: list[str] = []
    bare: list[Call] = []
    for call in calls:
        thought = None if call.tool in own else call.arguments.get(THOUGHT)
        if not isinstance(thought, str):
            bare.append(call)
            continue
        thoughts.append(thought.strip())
        bare.append(replace(call, arguments={name: value for name, value in call.arguments.items() if name != THOUGHT}))
    return tuple(bare), "\n".join(dict.fromkeys(filter(None, thoughts)))


def _signed(message: Mapping[str, Any], step: int) -> dict[str, Any]:
    """What the provider put beside single calls, by our id of each; those of calls that were read."""
    raw = message.get("tool_calls")
    sent = list(cast("list[Any]", raw)) if isinstance(raw, list) else []
    named = [cast("Mapping[str, Any]", item) for item in sent if _function(item)[1] is not None]
    marked = {own_id(step, n): {key: item[key] for key in SIGNED if item.get(key)} for n, item in enumerate(named)}
    return {call_id: marks for call_id, marks in marked.items() if marks}


def _function(item: object) -> tuple[Mapping[str, Any], str | None]:
    if not isinstance(item, Mapping):
        return {}, None
    call = cast("Mapping[str, Any]", item)
    function = call.get("function")
    members = cast("Mapping[str, Any]", function) if isinstance(function, Mapping) else {}
    name = members.get("name")
    if isinstance(name, str) and name.strip():
        return members, whole_characters(name.strip())
    call_id = call.get("id")
    return members, name_in_id(call_id) if isinstance(call_id, str) else None


def _reasoning(message: Mapping[str, Any]) -> str:
    for key in ("reasoning_content", "reasoning"):
        value = message.get(key)
        if isinstance(value, str) and value:
            return value.strip()
    return ""


def _finish(reason: object, calls: tuple[Call, ...], *, refused: bool) -> Finish:
    word = reason.lower() if isinstance(reason, str) else ""
    if word in _CUT:
        return "length"
    if word in _FILTERED or refused:
        return "filter"
    return "calls" if calls else "stop"


def _begin(value: object) -> str:
    text = whole_characters(json.dumps(value, ensure_ascii=False, default=str))
    return text if len(text) <= 200 else text[:200] + "…"
