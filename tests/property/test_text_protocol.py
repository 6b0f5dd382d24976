"""Whatever a model writes, it is read within a bounded time, as what was meant or as nothing."""

import json
from time import perf_counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from agents.models.base import Call, Message, ModelRequest, ToolSpec
from agents.models.text.rendering import Renderer
from agents.protocols.text.embedded import calls_in
from agents.protocols.text.notation import NotationError, read_value
from agents.protocols.text.reading import read_answer, read_reply
from agents.protocols.text.readings import Action, Final, Unparsable
from orchestrator.ports.clock import Deadline

TEXT = {"type": "string"}
TOOLS = (
    ToolSpec("look.up", "", {"properties": {"q": TEXT, "n": {"type": "integer"}}, "required": ["q"]}, "read"),
    ToolSpec("pay", "", {"properties": {"to": TEXT, "amount": {"type": "number"}}, "required": ["to", "amount"]}),
    ToolSpec("now", "", {}, "read"),
)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
numbers = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False))
values = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, texts),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)),
    max_leaves=12,
)
objects = st.dictionaries(texts, values, max_size=5)
names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.-]{0,20}", fullmatch=True)
fragments = st.sampled_from(
    [
        "Thought:", "Action:", "Action Input:", "Observation:", "Final Answer:", "行动：", "最终答案：", "look.up",
        "pay", "None", "Finish", "{", "}", "[", "]", "(", ")", '"', "'", "“", "”", "`", "```json\n", "```",
        "\n", "\r\n", " ", ",", ":", "：", "=", "<tool_call>", "</tool_call>", "<think>", "</think>",
        "<function=pay>", "<parameter=to>", "</parameter>", '{"name": "pay", "arguments": {', '"to": "A"',
        "'amount': 5", "\\", "\\u12", "/*", "//", "#", "NaN", "1e999", "0,5", "...", "**", "1. ", "😀", "\ufeff",
        "\ud83d", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    ]
)  # fmt: skip


@given(arguments=objects, tool=names, thought=texts, effect=st.sampled_from(["read", "unsafe"]))
def test_a_rendered_call_is_read_as_itself(arguments: dict[str, Any], tool: str, thought: str, effect: Any) -> None:
    """Any arguments, any name, any thought: what a transcript shows is what it means, without a liberty."""
    spec = ToolSpec(tool, "", {}, effect)
    message = Message("assistant", "", (Call("c1.0", tool, arguments),), thought=thought)
    result = Message("tool", "1", call_id="c1.0")
    request = ModelRequest((Message("user", "go"), message, result), (spec,), 2, Deadline.after(9))
    shown = next(one for one in Renderer().messages(request) if one.role == "assistant")
    reading = read_reply(shown.text, (spec,))
    assert isinstance(reading, Action)
    assert (reading.tool, reading.arguments, reading.notes) == (tool, arguments, ())


@given(to=texts, amount=numbers, data=st.data())
def test_what_was_cut_off_is_never_an_action(to: str, amount: float, data: st.DataObject) -> None:
    """No prefix of a call is read as a call with less in it, wherever the output was cut."""
    whole = (
        f"Thought: I pay.\nAction: pay\nAction Input: {json.dumps({'to': to, 'amount': amount}, ensure_ascii=False)}"
    )
    cut = whole[: data.draw(st.integers(0, len(whole) - 1))]
    reading = read_reply(cut, TOOLS)
    assert not (isinstance(reading, Action) and reading.tool == "pay")
    tagged = f'<tool_call>{{"name": "pay", "arguments": {json.dumps({"to": to, "amount": amount})}}}'
    assert calls_in(tagged[: data.draw(st.integers(0, len(tagged) - 1))], TOOLS).calls == ()


@given(st.lists(fragments, max_size=25).map("".join))
def test_anything_is_read_as_something(text: str) -> None:
    """No text raises; an action with an effect has all that its schema needs, from strict JSON."""
    reading = read_reply(text, TOOLS)
    assert isinstance(reading, Action | Final | Unparsable)
    assert isinstance(read_answer(text), Final | Unparsable)
    for call in calls_in(text, TOOLS).calls:
        assert call.end <= len(text)


@settings(max_examples=60, deadline=None)
@given(st.lists(fragments, min_size=1, max_size=4).map("".join), st.lists(fragments, max_size=3).map("".join))
def test_no_text_takes_long(part: str, end: str) -> None:
    """A model that repeats itself for ever costs a bounded time, whatever it repeats."""
    text = part * (60_000 // len(part)) + end
    started = perf_counter()
    read_reply(text, TOOLS)
    calls_in(text, TOOLS)
    assert perf_counter() - started < 30


@given(values)
def test_python_is_read_like_json(value: Any) -> None:
    """A value that is printed by Python, or as JSON, is read as the same value."""
    assert read_value(repr(value)).value == value
    assert read_value(json.dumps(value)).value == value
    assert read_value(json.dumps(value, ensure_ascii=False, indent=1)).liberties == frozenset()


@given(st.lists(fragments, max_size=15).map("".join))
def test_loose_notation_is_read_or_refused(text: str) -> None:
    """Nothing but its own error comes out of rubbish, and a value never reaches beyond the text."""
    try:
        read = read_value(text)
    except NotationError:
        return
    assert 0 < read.end <= len(text)
