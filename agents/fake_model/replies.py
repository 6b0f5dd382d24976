"""Writes a scripted reply as the JSON body, or as the stream, that an OpenAI-compatible server would send."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from agents.fake_model.requests import Asked
from agents.fake_model.script import Reply, Usage
from agents.protocols.json_text import dumps, whole_characters
from agents.protocols.names import wire_name

CREATED = 1_700_000_000
"""A fixed moment: the same script gives the same bytes."""
PIECE = 7
"""Characters of a text in one chunk of a stream."""


@dataclass(frozen=True, slots=True)
class Filled:
    """A reply whose templates are filled."""

    reply: Reply
    text: str | None
    thought: str | None
    arguments: tuple[Any, ...]
    """Of each call: an object, a text, or None for none."""
    body: dict[str, Any] | None


def body_of(filled: Filled, request: Asked, sent: int) -> bytes:
    """The whole JSON body; `sent` is the size of the request, for an estimate of its tokens."""
    if filled.body is not None:
        return dumps(filled.body, "the scripted body").encode()
    reply = filled.reply
    message: dict[str, Any] = {"role": "assistant", "content": _clean(filled.text)}
    if filled.thought is not None:
        message["reasoning_content"] = _clean(filled.thought)
    if reply.calls:
        message["tool_calls"] = _calls(filled, request)
    choice = {"index": 0, "message": message, "finish_reason": _finish(reply), "logprobs": None}
    return orjson.dumps(_envelope(request, "chat.completion") | {"choices": [choice]} | _usage(filled, sent))


def events_of(filled: Filled, request: Asked, sent: int) -> Iterator[bytes]:
    """The same reply as server-sent events: texts in pieces, calls with the name first, usage where it is asked for."""
    base = _envelope(request, "chat.completion.chunk")
    first: dict[str, Any] = {"role": "assistant", "content": None if filled.text is None else ""}
    yield _event(base, first)
    for key, text in (("reasoning_content", filled.thought), ("content", filled.text)):
        for piece in _pieces(_clean(text) or ""):
            yield _event(base, {key: piece})
    for index, call in enumerate(_calls(filled, request)):
        function = call["function"]
        head = {"index": index, "type": "function", "function": {"name": function["name"]}} | (
            {"id": call["id"]} if "id" in call else {}
        )
        yield _event(base, {"tool_calls": [head]})
        for piece in _pieces(str(function.get("arguments", ""))):
            yield _event(base, {"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield _event(base, {}, _finish(filled.reply))
    if request.stream_usage and (usage := _usage(filled, sent)):
        yield b"data: " + orjson.dumps(base | {"choices": []} | usage) + b"\n\n"
    yield b"data: [DONE]\n\n"


def error_body(message: str, kind: str, code: str | None = None, param: str | None = None) -> bytes:
    """An error as OpenAI writes it."""
    return orjson.dumps({"error": {"message": message, "type": kind, "param": param, "code": code}})


def models_body(names: tuple[str, ...]) -> bytes:
    """The list of models."""
    data = [{"id": name, "object": "model", "created": CREATED, "owned_by": "fake-model"} for name in names]
    return orjson.dumps({"object": "list", "data": data})


def _envelope(request: Asked, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{request.number}", "object": kind, "created": CREATED, "model": request.model}


def _event(base: Mapping[str, Any], delta: Mapping[str, Any], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return b"data: " + orjson.dumps({**base, "choices": [choice]}) + b"\n\n"


def _calls(filled: Filled, request: Asked) -> list[dict[str, Any]]:
    calls: list[dict[str, Any]] = []
    for index, (call, arguments) in enumerate(zip(filled.reply.calls, filled.arguments, strict=True)):
        # Scripts name tools as teams do; on the wire they may be written otherwise.
        name = call.tool if call.tool in request.tools or not request.tools else wire_name(call.tool)
        function: dict[str, Any] = {"name": name}
        if isinstance(arguments, str):
            function["arguments"] = _clean(arguments)
        elif arguments is not None:
            function["arguments"] = dumps(arguments, "the scripted arguments")
        call_id = f"call_{request.number}_{index}" if call.id is None else call.id
        calls.append({"id": call_id, "type": "function", "function": function})
    return calls


def _finish(reply: Reply) -> str:
    return reply.finish or ("tool_calls" if reply.calls else "stop")


def _usage(filled: Filled, sent: int) -> dict[str, Any]:
    usage = filled.reply.usage
    if usage == "none":
        return {}
    if usage is None:
        written = len(filled.text or "") + len(filled.thought or "") + sum(len(str(item)) for item in filled.arguments)
        usage = Usage(input=sent // 4 + 1, output=written // 4 + 1)
    total = usage.input + usage.output
    counts = {"prompt_tokens": usage.input, "completion_tokens": usage.output, "total_tokens": total}
    return {"usage": counts}


def _pieces(text: str) -> Iterator[str]:
    for start in range(0, len(text), PIECE):
        yield text[start : start + PIECE]


def _clean(text: str | None) -> str | None:
    return None if text is None else whole_characters(text)
