"""The encoder that encodes each message of a transcript once."""

import json

from hypothesis import given
from hypothesis import strategies as st

from agents.models.base import Call, Message, ToolSpec
from agents.models.native.encoder import Encoder
from agents.models.native.writing import Shape

TOOLS = (ToolSpec("look", "Look.", {"properties": {"q": {"type": "string"}}}),)


def _transcript(length: int) -> tuple[Message, ...]:
    return tuple(Message("user", f"message {index}") for index in range(length))


def test_joins_settings_tools_and_messages() -> None:
    """The body is one JSON object, without tools where none are offered."""
    encoder = Encoder()
    body = json.loads(encoder.body({"model": "m", "max_tokens": 5}, _transcript(2), TOOLS, Shape()))
    assert list(body) == ["model", "max_tokens", "tools", "messages"]
    assert [message["content"] for message in body["messages"]] == ["message 0", "message 1"]
    assert body["tools"][0]["function"]["name"] == "look"
    assert "tools" not in json.loads(encoder.body({"model": "m"}, _transcript(1), (), Shape()))


def test_encodes_each_message_once() -> None:
    """A transcript that grows from 1 to 50 messages costs 50 encodings, not 1,275."""
    encoder = Encoder()
    messages = _transcript(50)
    for length in range(1, 51):
        encoder.body({"model": "m"}, messages[:length], TOOLS, Shape())
    assert encoder.encoded == 50


def test_another_transcript_and_another_shape_start_anew() -> None:
    """Nothing of one transcript or shape leaks into another."""
    encoder = Encoder()
    shared = Message("system", "s")
    encoder.body({"model": "m"}, (shared, Message("user", "one")), (), Shape())
    body = json.loads(encoder.body({"model": "m"}, (shared, Message("user", "two")), (), Shape(system_role="user")))
    assert body["messages"] == [{"role": "user", "content": "s"}, {"role": "user", "content": "two"}]


def test_a_shortened_transcript_keeps_what_is_left() -> None:
    """After a compaction only the new summary is encoded."""
    encoder = Encoder()
    messages = _transcript(10)
    encoder.body({"model": "m"}, messages, (), Shape())
    summary = Message("user", "summary")
    body = json.loads(encoder.body({"model": "m"}, (messages[0], summary, *messages[8:]), (), Shape()))
    assert [message["content"] for message in body["messages"]] == ["message 0", "summary", "message 8", "message 9"]
    assert encoder.encoded == 11


def test_other_tools_are_written_anew() -> None:
    """What was written of some tools is never sent for others."""
    encoder = Encoder()
    first = encoder.body({"model": "m"}, _transcript(1), TOOLS, Shape())
    other = (ToolSpec("find", "Find.", {}),)
    assert b'"look"' in first
    assert b'"find"' in encoder.body({"model": "m"}, _transcript(1), other, Shape())


TEXTS = st.text(max_size=20)
CALLS = st.builds(
    Call, st.just("c1.0"), st.sampled_from(["look", "tables.query"]), st.dictionaries(TEXTS, TEXTS, max_size=3)
)
MESSAGES = st.one_of(
    st.builds(Message, st.sampled_from(["system", "user", "assistant"]), TEXTS),
    st.builds(Message, st.just("assistant"), TEXTS, st.tuples(CALLS)),
    st.builds(Message, st.just("tool"), TEXTS, st.just(()), st.just("c1.0")),
)


@given(st.lists(MESSAGES, max_size=12), st.lists(st.integers(0, 11), max_size=12))
def test_what_is_remembered_never_differs_from_what_is_new(messages: list[Message], picks: list[int]) -> None:
    """Whatever was encoded before, the body equals that of a fresh encoder."""
    encoder = Encoder()
    for end in range(len(messages)):
        encoder.body({"model": "m"}, messages[:end], (), Shape())
    chosen = [messages[index] for index in picks if index < len(messages)]
    assert encoder.body({"model": "m"}, chosen, (), Shape()) == Encoder().body({"model": "m"}, chosen, (), Shape())
