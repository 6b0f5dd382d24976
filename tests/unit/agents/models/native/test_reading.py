"""Reading a reply off the wire."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.models.base import Call, Message, ToolSpec
from agents.models.native.reading import NAMELESS, NoReplyError, decode_reply, read_body
from agents.models.native.writing import Shape, encode_message
from orchestrator.domain.step import Effect

TOOLS = (ToolSpec("lookup", "", {}), ToolSpec("tables.profile", "", {}))


def _body(message: dict[str, Any], finish: object = "stop") -> dict[str, Any]:
    return {"choices": [{"index": 0, "message": message, "finish_reason": finish}]}


def _call(name: object = "lookup", arguments: object = "{}", call_id: object = "call_1") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _calls(*calls: object, finish: object = "tool_calls") -> tuple[Call, ...]:
    return decode_reply(_body({"content": None, "tool_calls": list(calls)}, finish), TOOLS, 4).calls


def test_reads_a_text() -> None:
    """A plain answer comes back unchanged."""
    reply = decode_reply(_body({"role": "assistant", "content": " 答案 \n"}), TOOLS, 1)
    assert (reply.text, reply.calls, reply.finish, reply.thought) == (" 答案 \n", (), "stop", "")


def test_numbers_calls_by_step_and_place_whatever_their_ids() -> None:
    """Ids that are repeated, empty, missing or no text are replaced by ours."""
    nameless = {"type": "function", "function": {"name": "lookup", "arguments": "{}"}}
    calls = _calls(_call(), _call(), _call(call_id=""), nameless, _call(call_id=7))
    assert [call.id for call in calls] == ["c4.0", "c4.1", "c4.2", "c4.3", "c4.4"]


def test_maps_names_back() -> None:
    """A tool is known by the name that it has inside, however the model writes it."""
    calls = _calls(_call("tables__profile"), _call("functions.lookup:0"), _call("unknown_one"), _call(" lookup "))
    assert [call.tool for call in calls] == ["tables.profile", "lookup", "unknown_one", "lookup"]


def test_takes_a_name_from_the_id_or_leaves_the_call_out() -> None:
    """`functions.lookup:0` as an id names the tool; a call without any name is dropped, its sibling is kept."""
    calls = _calls(
        _call(name="", call_id="functions.lookup:0", arguments='{"q": 1}'),
        _call(name="", call_id="functions.invalid.0"),
        _call(name=None, call_id="0"),
        "no call at all",
        {"function": "neither"},
        _call(arguments='{"q": 2}'),
    )
    assert [(call.id, call.tool, call.arguments) for call in calls] == [
        ("c4.0", "lookup", {"q": 1}),
        ("c4.1", "lookup", {"q": 2}),
    ]


def test_keeps_a_bad_call_beside_a_good_one() -> None:
    """Both are answered: the one whose arguments broke off with an error."""
    good, bad = _calls(_call(arguments='{"q": 1}'), _call(arguments='{"q": "cut o'))
    assert (good.arguments, good.malformed) == ({"q": 1}, None)
    assert (bad.arguments, bad.malformed) == ({}, '{"q": "cut o')


@pytest.mark.parametrize(
    ("arguments", "value", "malformed"),
    [
        ({"q": 1}, {"q": 1}, None),
        ('"{\\"q\\": 1}"', {"q": 1}, None),
        ("", {}, None),
        ("hello", {}, "hello"),
        (None, {}, "null"),
        ([1, 2], {}, "[1, 2]"),
        (5, {}, "5"),
        ('{"q": 1e999}', {}, '{"q": 1e999}'),
        ('{"q": 1}])]', {}, '{"q": 1}])]'),
    ],
)
def test_reads_arguments_strictly(arguments: object, value: dict[str, Any], malformed: str | None) -> None:
    """An object is accepted in any wrapping; the rest is kept as raw text."""
    (call,) = _calls(_call(arguments=arguments))
    assert (call.arguments, call.malformed) == (value, malformed)


def test_absent_arguments_are_none() -> None:
    """A tool without parameters may be called without the member."""
    (call,) = _calls({"id": "x", "function": {"name": "lookup"}})
    assert (call.arguments, call.malformed) == ({}, None)


@pytest.mark.parametrize(
    ("reason", "with_calls", "finish"),
    [
        ("stop", False, "stop"),
        ("stop", True, "calls"),
        ("tool_calls", True, "calls"),
        ("tool_calls", False, "stop"),
        (None, False, "stop"),
        (None, True, "calls"),
        ("length", False, "length"),
        ("length", True, "length"),
        ("MAX_TOKENS", True, "length"),
        ("content_filter", False, "filter"),
        ("something new", False, "stop"),
        (7, True, "calls"),
    ],
)
def test_finish_is_told_by_what_came(reason: object, *, with_calls: bool, finish: str) -> None:
    """A wrong finish reason does not hide calls; a reply that was cut off is never taken for a whole one."""
    message = {"content": "x", "tool_calls": [_call()] if with_calls else None}
    assert decode_reply(_body(message, reason), TOOLS, 1).finish == finish


@pytest.mark.parametrize("key", ["reasoning_content", "reasoning"])
def test_reasoning_beside_the_content_is_thought(key: str) -> None:
    """The members in which servers put reasoning are the thought."""
    reply = decode_reply(_body({"content": "yes", key: " hm "}), TOOLS, 1)
    assert (reply.text, reply.thought) == ("yes", "hm")


def test_think_blocks_are_thought_and_calls_beside_them_stay() -> None:
    """A block at the beginning of the content is taken out of the text."""
    reply = decode_reply(_body({"content": "<think>hm</think>", "tool_calls": [_call()]}), TOOLS, 1)
    assert (reply.text, reply.thought, len(reply.calls)) == ("", "hm", 1)


def test_keeps_the_providers_own_payload() -> None:
    """Reasoning items are kept as they came, for the same provider alone."""
    details = [{"type": "reasoning.encrypted", "data": "…"}]
    reply = decode_reply(_body({"content": "x", "reasoning_details": details, "reasoning_content": ""}), TOOLS, 1)
    assert reply.opaque == {"reasoning_details": details}


def test_keeps_what_stands_beside_single_calls() -> None:
    """By our id of the call; a call that is left out takes its mark with it."""
    marked = {**_call(), "extra_content": {"google": {"thought_signature": "s1"}}}
    nameless = {"id": "x", "function": {"arguments": "{}"}, "extra_content": {"google": {"thought_signature": "s0"}}}
    reply = decode_reply(_body({"content": None, "tool_calls": [_call(), nameless, marked]}), TOOLS, 4)
    assert reply.opaque == {"calls": {"c4.1": {"extra_content": {"google": {"thought_signature": "s1"}}}}}


@pytest.mark.parametrize("content", [None, "", [], "missing"])
def test_content_may_be_missing_beside_calls(content: object) -> None:
    """Null, empty, a list or no member at all: there is no text."""
    message: dict[str, Any] = {"tool_calls": [_call()]} | ({} if content == "missing" else {"content": content})
    reply = decode_reply(_body(message), TOOLS, 1)
    assert (reply.text, len(reply.calls)) == ("", 1)


def test_a_refusal_is_a_filtered_reply() -> None:
    """A model that refuses says so in a member of its own."""
    reply = decode_reply(_body({"content": None, "refusal": "I can't help."}), TOOLS, 1)
    assert (reply.text, reply.finish) == ("I can't help.", "filter")


def test_reads_the_older_form_of_a_call() -> None:
    """`function_call` is a call without an id."""
    reply = decode_reply(
        _body({"function_call": {"name": "lookup", "arguments": '{"q":1}'}}, "function_call"), TOOLS, 2
    )
    assert (reply.calls, reply.finish) == ((Call("c2.0", "lookup", {"q": 1}),), "calls")


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ([], "the body is no JSON object"),
        ("text", "the body is no JSON object"),
        ({}, "no choices"),
        ({"choices": []}, "no choices"),
        ({"choices": None}, "no choices"),
        ({"choices": [7]}, "the first choice is no object"),
        ({"choices": [{}]}, "the first choice holds no message"),
        ({"choices": [{"message": "x"}]}, "the first choice holds no message"),
    ],
)
def test_a_body_without_a_reply_says_what_it_holds(body: object, what: str) -> None:
    """Whoever reads the log sees what came instead."""
    with pytest.raises(NoReplyError, match=what):
        decode_reply(body, TOOLS, 1)


def test_arguments_given_as_an_object_keep_long_numbers() -> None:
    """No integer is rounded on the way, whichever form a server chooses."""
    long = 9007199254740993123456789012345
    raw = json.dumps(_body({"tool_calls": [_call(arguments={"n": long})]})).encode()
    (call,) = decode_reply(read_body(raw), TOOLS, 1).calls
    assert call.arguments == {"n": long}


def test_an_infinite_number_in_an_object_is_refused() -> None:
    """1e999 is Infinity to a computer and nothing to anybody else."""
    raw = b'{"choices":[{"message":{"tool_calls":[{"function":{"name":"lookup","arguments":{"n":1e999}}}]}}]}'
    (call,) = decode_reply(read_body(raw), TOOLS, 1).calls
    assert (call.arguments, call.malformed) == ({}, '{"n": Infinity}')


def test_half_a_character_is_replaced() -> None:
    """A reply cut inside a character can still be stored."""
    reply = decode_reply(read_body(b'{"choices":[{"message":{"content":"x\\ud83d"}}]}'), TOOLS, 1)
    assert reply.text == "x\ufffd"


CLEAN = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="<"), max_size=30)
ARGUMENTS = st.dictionaries(
    CLEAN, CLEAN | st.integers() | st.booleans() | st.none() | st.lists(CLEAN, max_size=2), max_size=3
)


@given(
    CLEAN,
    st.lists(st.tuples(st.sampled_from(["lookup", "tables.profile", "x_._y"]), ARGUMENTS), max_size=4),
    st.integers(0, 99_999),
)
def test_what_is_written_is_read_back(text: str, calls: list[tuple[str, dict[str, Any]]], step: int) -> None:
    """Any assistant message that we write, sent back by a server, is the same message; ids are unique."""
    given_calls = tuple(Call(f"c{step}.{index}", tool, arguments) for index, (tool, arguments) in enumerate(calls))
    wire = encode_message(Message("assistant", text, given_calls), Shape())
    reply = decode_reply(
        read_body(b'{"choices":[{"message":' + wire + b"}]}"), (*TOOLS, ToolSpec("x_._y", "", {})), step
    )
    assert (reply.text, reply.calls) == (text, given_calls)
    assert len({call.id for call in reply.calls}) == len(calls)
    assert reply.finish == ("calls" if calls else "stop")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["choices", "message", "content", "tool_calls", "function", "name", "arguments", "id", "text", "type"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)


@given(JSON, JSON)
def test_whatever_a_server_sends_is_read_or_refused(message: object, body: object) -> None:
    """No body breaks the reader."""
    for sent in (body, {"choices": [message]}, {"choices": [{"message": message}]}):
        try:
            reply = decode_reply(sent, TOOLS, 1)
        except NoReplyError:
            continue
        assert len({call.id for call in reply.calls}) == len(reply.calls)


READS = ToolSpec("look.up", "", {"properties": {"q": {"type": "string"}}, "required": ["q"]}, "read")
PAYS = ToolSpec("pay", "", {"properties": {"to": {"type": "string"}}, "required": ["to"]})


def _left(content: str, finish: object = "stop", tools: tuple[ToolSpec, ...] = (READS, PAYS)) -> Any:
    return decode_reply(_body({"content": content}, finish), tools, 4)


def test_calls_left_in_the_content_are_calls() -> None:
    """Some servers do not take them out: the prose before them stays, their ids are ours."""
    reply = _left(
        'I look.\n<tool_call>{"name": "look__up", "arguments": {"q": "a"}}</tool_call>\n'
        '<tool_call>{"name": "pay", "arguments": {"to": "b"}}</tool_call>'
    )
    assert reply.calls == (Call("c4.0", "look.up", {"q": "a"}), Call("c4.1", "pay", {"to": "b"}))
    assert (reply.text, reply.finish, reply.faults) == ("I look.", "calls", ())


def test_native_calls_come_first() -> None:
    """Where the server gives calls, its text is text."""
    content = '<tool_call>{"name": "pay", "arguments": {"to": "b"}}</tool_call>'
    message = {"content": content, "tool_calls": [_call("look__up", '{"q": "a"}')]}
    reply = decode_reply(_body(message), (READS, PAYS), 4)
    assert [call.tool for call in reply.calls] == ["look.up"]
    assert reply.text == content


@pytest.mark.parametrize(
    ("content", "finish", "tools"),
    [
        ('{"name": "look.up", "arguments": {"q": "a"}}', "length", (READS,)),
        ('{"name": "look.up", "arguments": {"q": "a"}}', "content_filter", (READS,)),
        ('{"name": "look.up", "arguments": {"q": "a"}}', "stop", ()),
        ("Plain text with {braces}.", "stop", (READS,)),
    ],
)
def test_text_stays_text(content: str, finish: str, tools: tuple[ToolSpec, ...]) -> None:
    """Nothing is read from a reply that was cut off, or where no tool was offered."""
    reply = _left(content, finish, tools)
    assert (reply.text, reply.calls, reply.faults) == (content, (), ())


def test_a_call_that_breaks_off_in_the_content_is_no_answer() -> None:
    """The text with half a call is not taken for an answer, and the call is not completed."""
    content = '<tool_call>{"name": "pay", "arguments": {"to": "b"}</tool_call>'
    reply = _left(content)
    assert (reply.text, reply.calls) == (content, ())
    assert "cannot be read" in reply.faults[0]


def test_a_call_in_the_thought_is_a_thought() -> None:
    """What stands in a closed block of reasoning is not run; a call behind one that was never closed is."""
    call = '<tool_call>{"name": "look.up", "arguments": {"q": "Q"}}</tool_call>'
    closed = _left(f"<think>Perhaps {call.replace('Q', 'a')}</think>{call.replace('Q', 'b')}")
    assert [one.arguments for one in closed.calls] == [{"q": "b"}]
    unclosed = _left(f"<think>I look it up.\n{call.replace('Q', 'c')}")
    assert ([one.arguments for one in unclosed.calls], unclosed.thought) == ([{"q": "c"}], "I look it up.")


def test_arguments_that_are_almost_json_are_read_for_tools_that_read() -> None:
    """With a word on it; for a tool with an effect they stay malformed."""
    reading, paying = decode_reply(
        _body({"tool_calls": [_call("look__up", "{'q': 'a',}"), _call("pay", "{'to': 'b'}")]}), (READS, PAYS), 4
    ).calls
    assert (reading.arguments, reading.malformed) == ({"q": "a"}, None)
    assert 'it was read as {"q": "a"}' in reading.notes[0]
    assert (paying.arguments, paying.malformed, paying.notes) == ({}, "{'to': 'b'}", ())


@pytest.mark.parametrize(
    "arguments", ["hello", "[1]", '{"q": "cut o', '{"q": 1} {"q": 2}', '{"q": "a"}])', "{'q': 1, 'q': 2}"]
)
def test_other_arguments_stay_malformed(arguments: str) -> None:
    """A text, a list, half an object, two of them, a bracket too many, a key given twice: asked again."""
    (call,) = decode_reply(_body({"tool_calls": [_call("look__up", arguments)]}), (READS,), 4).calls
    assert call.malformed == arguments


def test_a_cut_call_is_not_completed() -> None:
    """Also where its arguments could be read with some good will."""
    message = {"tool_calls": [_call("look__up", "{'q': 'a'}")]}
    (call,) = decode_reply(_body(message, "length"), (READS,), 4).calls
    assert call.malformed == "{'q': 'a'}"


def test_a_thought_among_the_arguments_is_no_argument() -> None:
    """It is the thought of the reply, said once; of a tool that takes one it is the argument that it seems."""
    thinking = ToolSpec("note", "", {"properties": {"thought": {"type": "string"}}})
    given = json.dumps({"thought": "I look.", "at": 1})
    body = _body(
        {"content": None, "tool_calls": [_call("lookup", given), _call("lookup", given), _call("note", given)]}
    )
    reply = decode_reply(body, (*TOOLS, thinking), 1)
    assert [call.arguments for call in reply.calls] == [{"at": 1}, {"at": 1}, {"thought": "I look.", "at": 1}]
    assert reply.thought == "I look."
    odd = decode_reply(_body({"tool_calls": [_call("lookup", '{"thought": {"a": 1}}')]}), TOOLS, 1)
    assert (odd.thought, odd.calls[0].arguments) == ("", {"thought": {"a": 1}})


def test_a_nameless_call_is_the_one_tools_that_takes_its_arguments() -> None:
    """Only where one tool does, and only reads; otherwise the model is told, when nothing else is left."""

    def tool(name: str, effect: Effect, **properties: object) -> ToolSpec:
        return ToolSpec(name, "", {"type": "object", "properties": properties, "required": list(properties)}, effect)

    text = {"type": "string"}
    tools = (
        tool("look", "read", q=text),
        tool("pay", "unsafe", to=text),
        tool("first", "read", x=text),
        tool("second", "read", x=text),
    )

    def read(arguments: str, call_id: str = "0") -> tuple[list[str], tuple[str, ...]]:
        call = {"id": call_id, "function": {"name": "", "arguments": arguments}}
        reply = decode_reply(_body({"tool_calls": [call]}), tools, 1)
        return [one.tool for one in reply.calls], reply.faults

    assert read('{"q": "x"}') == (["look"], ())
    assert read('{"thought": "I look.", "q": "x"}') == (["look"], ())
    for arguments in ('{"to": "x"}', '{"x": "x"}', '{"q": 1}', '{"q": "x", "y": 1}', '{"q": "x', "{}", ""):
        assert read(arguments) == ([], (NAMELESS,))
    assert read('{"q": "x"}', "functions.invalid.0") == ([], (NAMELESS,))


def test_the_tag_around_a_markup_call_is_no_text() -> None:
    """Qwen's coders write both; what stands before the tag stays."""
    content = "I look.\n<tool_call>\n<function=lookup>\n<parameter=q>\nx\n</parameter>\n</function>\n</tool_call>"
    reply = decode_reply(_body({"content": content}), TOOLS, 1)
    assert (reply.text, [call.arguments for call in reply.calls]) == ("I look.", [{"q": "x"}])
