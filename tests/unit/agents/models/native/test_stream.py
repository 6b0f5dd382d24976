"""Assembling a streamed reply."""

import json
from typing import Any

import pytest

from agents.models.base import ToolSpec
from agents.models.native.reading import decode_reply
from agents.models.native.stream import CutStreamError, assemble

TOOLS = (ToolSpec("lookup", "", {}),)


def _chunk(delta: dict[str, Any], finish: str | None = None) -> str:
    return json.dumps(
        {"id": "1", "model": "m-2024", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
    )


def _stream(*events: str) -> bytes:
    return "".join(f"data: {event}\n\n" for event in events).encode()


def _function(index: int, **members: Any) -> dict[str, Any]:
    return {"tool_calls": [{"index": index, "function": members}]}


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 8, 1000])
def test_pieces_of_any_size_give_the_same_reply(size: int) -> None:
    """A text, a thought and arguments are the same in pieces of one letter and in one piece."""
    text, thought, arguments = "上海 is 晴.", "I look.", '{"q": "上海"}'
    events = [_chunk({"role": "assistant", "content": ""})]
    events += [_chunk({"reasoning_content": thought[at : at + size]}) for at in range(0, len(thought), size)]
    events += [_chunk({"content": text[at : at + size]}) for at in range(0, len(text), size)]
    events.append(_chunk({"tool_calls": [{"index": 0, "id": "x", "function": {"name": "lookup", "arguments": ""}}]}))
    events += [_chunk(_function(0, arguments=arguments[at : at + size])) for at in range(0, len(arguments), size)]
    events += [_chunk({}, "tool_calls"), json.dumps({"choices": [], "usage": {"prompt_tokens": 3}}), "[DONE]"]
    body = assemble(_stream(*events))
    reply = decode_reply(body, TOOLS, 1)
    assert (reply.text, reply.thought, reply.finish) == (text, thought, "calls")
    assert reply.calls[0].arguments == {"q": "上海"}
    assert body["usage"] == {"prompt_tokens": 3}
    assert body["model"] == "m-2024"


def test_interleaved_calls_are_told_apart_by_index() -> None:
    """Two calls may come in turns."""
    body = assemble(
        _stream(
            _chunk(_function(0, name="lookup")),
            _chunk(_function(1, name="lookup", arguments='{"q"')),
            _chunk(_function(0, arguments='{"q": 0}')),
            _chunk(_function(1, arguments=": 1}")),
            _chunk({}, "tool_calls"),
        )
    )
    assert [call.arguments for call in decode_reply(body, TOOLS, 1).calls] == [{"q": 0}, {"q": 1}]


def test_calls_without_an_index_begin_with_an_id() -> None:
    """A server that sends no index begins each call with its id, and repeats the name."""
    body = assemble(
        _stream(
            _chunk({"tool_calls": [{"id": "a", "function": {"name": "lookup", "arguments": '{"q":'}}]}),
            _chunk({"tool_calls": [{"id": "a", "function": {"name": "lookup", "arguments": " 0}"}}]}),
            _chunk({"tool_calls": [{"id": "b", "function": {"name": "lookup", "arguments": '{"q": 1}'}}]}),
            _chunk({}, "stop"),
        )
    )
    assert [(call.tool, call.arguments) for call in decode_reply(body, TOOLS, 1).calls] == [
        ("lookup", {"q": 0}),
        ("lookup", {"q": 1}),
    ]


@pytest.mark.parametrize(
    "stream",
    [
        b"",
        _stream(_chunk({"content": "half an ans"})),
        _stream(_chunk(_function(0, name="lookup", arguments='{"q": "u'))),
        _stream(_chunk({"content": "whole"})) + b"data: " + _chunk({}, "stop").encode(),
        _stream("[DONE]"),
        b": ping\n\n",
    ],
)
def test_a_stream_that_broke_off_is_no_reply(stream: bytes) -> None:
    """Half an answer is never taken for one."""
    with pytest.raises(CutStreamError):
        assemble(stream)


def test_an_end_mark_is_enough() -> None:
    """A server that sends no finish reason but the end mark has finished; comments and CRLF do not disturb."""
    stream = b": ping\r\n\r\ndata: " + _chunk({"content": "x"}).encode() + b"\r\n\r\ndata: [DONE]"
    assert decode_reply(assemble(stream), TOOLS, 1).text == "x"


def test_an_error_in_the_stream_is_handed_on() -> None:
    """A server may begin a stream and then report a failure in it."""
    assert assemble(_stream(_chunk({"content": "x"}), '{"error": {"message": "boom"}}'))["error"] == {"message": "boom"}


def test_other_members_are_kept_and_rubbish_is_passed_over() -> None:
    """Lists of reasoning items grow; a piece of a call that is no object is nothing."""
    first, second = {"type": "reasoning.encrypted", "data": "a"}, {"type": "reasoning.encrypted", "data": "b"}
    body = assemble(
        _stream(
            _chunk({"content": "x", "reasoning_details": [first], "tool_calls": ["rubbish"], "audio": None}),
            _chunk({"reasoning_details": [second]}),
            "7",
            json.dumps({"choices": [7, {"index": 1, "delta": {"content": "another choice"}}]}),
            _chunk({"tool_calls": [{"index": 0, "function": {"name": "lookup", "arguments": {"q": 1}}}]}),
            _chunk({"tool_calls": [{"index": 0, "extra_content": {"signed": "s"}}]}),
            _chunk({}, "tool_calls"),
        )
    )
    reply = decode_reply(body, TOOLS, 1)
    kept = {"reasoning_details": [first, second], "calls": {"c1.0": {"extra_content": {"signed": "s"}}}}
    assert (reply.text, reply.opaque) == ("x", kept)
    assert [call.arguments for call in reply.calls] == [{"q": 1}]


def test_a_chunk_that_is_no_json_is_a_value_error() -> None:
    """Rubbish in a stream is reported as rubbish."""
    with pytest.raises(ValueError, match="Expecting"):
        assemble(_stream("{not json"))
