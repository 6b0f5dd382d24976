"""Writing scripted replies."""

import json
from typing import Any

from agents.fake_model.replies import Filled, body_of, events_of
from agents.fake_model.requests import Asked, Turn
from agents.fake_model.script import Reply
from agents.models.base import Call, ToolSpec
from agents.models.native.reading import decode_reply
from agents.models.native.stream import assemble

REQUEST = Asked(3, "fake", (Turn("user", "x"),), ("tables__profile",), stream=True, stream_usage=True)
TOOLS = (ToolSpec("tables.profile", "", {}),)


def _filled(**members: Any) -> Filled:
    reply = Reply.model_validate(members)
    return Filled(reply, reply.text, reply.thought, tuple(call.arguments for call in reply.calls), reply.body)


def test_a_body_is_what_openai_sends() -> None:
    """Every member that clients look at is there."""
    body = json.loads(body_of(_filled(text="晴", usage={"input": 3, "output": 1}), REQUEST, 40))
    assert body == {
        "id": "chatcmpl-3",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "fake",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": "晴"}, "finish_reason": "stop", "logprobs": None}
        ],
        "usage": {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4},
    }


def test_a_stream_holds_the_same_reply() -> None:
    """Assembled, the events are the reply of the body."""
    filled = _filled(
        text="上海今天是晴天", thought="I think.", calls=[{"tool": "tables.profile", "arguments": {"name": "a" * 50}}]
    )
    events = list(events_of(filled, REQUEST, 40))
    streamed = decode_reply(assemble(b"".join(events)), TOOLS, 1)
    whole = decode_reply(json.loads(body_of(filled, REQUEST, 40)), TOOLS, 1)
    assert streamed.calls == whole.calls == (Call("c1.0", "tables.profile", {"name": "a" * 50}),)
    assert (streamed.text, streamed.finish) == (whole.text, whole.finish) == ("上海今天是晴天", "calls")
    assert streamed.thought == whole.thought == "I think."
    assert events[-1] == b"data: [DONE]\n\n"
    assert json.loads(events[-2][6:])["usage"]["prompt_tokens"] == 11


def test_arguments_and_ids_are_written_as_the_script_says() -> None:
    """A text is sent as it is, null leaves the member out, an id may be empty."""
    filled = _filled(calls=[{"tool": "x", "arguments": "{bad", "id": ""}, {"tool": "y", "arguments": None}])
    calls = json.loads(body_of(filled, REQUEST, 1))["choices"][0]["message"]["tool_calls"]
    assert calls == [
        {"id": "", "type": "function", "function": {"name": "x", "arguments": "{bad"}},
        {"id": "call_3_1", "type": "function", "function": {"name": "y"}},
    ]


def test_usage_can_be_left_out() -> None:
    """As on servers that do not count."""
    assert "usage" not in json.loads(body_of(_filled(text="x", usage="none"), REQUEST, 1))
    assert not any(b"usage" in event for event in events_of(_filled(text="x", usage="none"), REQUEST, 1))
