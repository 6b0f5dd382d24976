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
from agents.protocols.nested import kind_of, kinds
from agents.protocols.text.offered import Parameters
from agents.protocols.thoughts import text_of

log = logging.getLogger(__name__)

NAMELESS = "A call in your reply names no tool, so nothing was carried out. Send it again with the tool's name."
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
    sent = _sent(message, tools)
    left = Leftovers(text, _calls(sent, tools, step))
    # What was cut off is never completed by a guess, nor run.
    if tools and _finish(reason, left.calls, refused=bool(refusal)) not in {"length", "filter"}:
        left = completed(left, tools, step)
    calls, asked = _without_thoughts(left.calls, tools)
    nameless = not calls and not text.strip() and bool(message.get("tool_calls"))
    left = replace(left, calls=calls, faults=(NAMELESS,) if nameless else left.faults)
    opaque = {key: message[key] for key in (PLAIN, *SIGNED) if message.get(key)}
    if signed := _signed(sent, step):
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


@dataclass(frozen=True, slots=True)
class _Sent:
    """One call as it was sent: the whole of it, what it says of the function, and the name that was found for it."""

    item: Mapping[str, Any]
    function: Mapping[str, Any]
    name: str


def _sent(message: Mapping[str, Any], tools: Sequence[ToolSpec]) -> list[_Sent]:
    """The calls of which it is known what they call."""
    raw = message.get("tool_calls")
    items = list(cast("list[Any]", raw)) if isinstance(raw, list) else []
    if isinstance(legacy := message.get("function_call"), Mapping):
        items.append({"function": legacy})
    found: list[_Sent] = []
    for item in items:
        function, name = _function(item, tools)
        if name is None:
            log.warning("a call without a tool's name was left out of the reply: %s", _begin(item))
        else:
            found.append(_Sent(item, function, name))
    return found


def _calls(sent: Sequence[_Sent], tools: Sequence[ToolSpec], step: int) -> tuple[Call, ...]:
    offered = [tool.name for tool in tools]
    calls: list[Call] = []
    for one in sent:
        arguments = read_arguments(one.function.get("arguments", ""))
        call_id = own_id(step, len(calls))
        calls.append(Call(call_id, called_name(one.name, offered), arguments.value, arguments.malformed))
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


def _signed(sent: Sequence[_Sent], step: int) -> dict[str, Any]:
    """What the provider put beside single calls, by our id of each; those of calls that were read."""
    marked = {
        own_id(step, n): {key: one.item[key] for key in SIGNED if one.item.get(key)} for n, one in enumerate(sent)
    }
    return {call_id: marks for call_id, marks in marked.items() if marks}


def _function(item: object, tools: Sequence[ToolSpec]) -> tuple[Mapping[str, Any], str | None]:
    if not isinstance(item, Mapping):
        return {}, None
    call = cast("Mapping[str, Any]", item)
    function = call.get("function")
    members = cast("Mapping[str, Any]", function) if isinstance(function, Mapping) else {}
    name = members.get("name")
    if isinstance(name, str) and name.strip():
        return members, whole_characters(name.strip())
    call_id = call.get("id")
    if isinstance(call_id, str) and call_id.startswith("functions."):
        return members, name_in_id(call_id)
    return members, _only_fitting(members.get("arguments"), tools)


def _only_fitting(raw: object, tools: Sequence[ToolSpec]) -> str | None:
    """The one tool that takes such arguments, where it only reads: what has an effect is never guessed."""
    arguments = read_arguments(raw)
    if arguments.malformed is not None or not arguments.value:
        return None
    fitting = [tool for tool in tools if _takes(Parameters(tool), arguments.value)]
    return fitting[0].name if len(fitting) == 1 and fitting[0].effect == "read" else None


def _takes(parameters: Parameters, arguments: Mapping[str, Any]) -> bool:
    given = set(arguments) - ({THOUGHT} - set(parameters.schemas))
    if not given or not set(parameters.required) <= given <= set(parameters.schemas):
        return False
    wanted = {name: kinds(parameters.schemas[name]) for name in given}
    return all(not wanted[name] or kind_of(arguments[name]) in wanted[name] for name in given)


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
