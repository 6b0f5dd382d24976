"""Calls that servers leave in the text of a reply."""

from typing import Any

import pytest

from agents.models.base import ToolSpec
from agents.protocols.text.embedded import calls_in

Tools = tuple[ToolSpec, ...]
Found = list[tuple[str, dict[str, Any]]]

ONE: Found = [("count", {"text": "x"})]
TWO: Found = [("count", {"text": "x"}), ("stock.find", {"item": "a", "most": 2})]
CODE = "def f():\n    return 1\n\n\nf()\n"


def _calls(text: str, tools: Tools) -> Found:
    return [
        (call.tool.name if call.tool else call.name, call.given().arguments) for call in calls_in(text, tools).calls
    ]


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        # tags
        ('<tool_call>{"name": "count", "arguments": {"text": "x"}}</tool_call>', ONE),
        ('<tool_call>\n{"name": "count", "arguments": {"text": "x"}}', ONE),
        ('<tool_call>```json\n{"name": "count", "arguments": {"text": "x"}}\n```</tool_call>', ONE),
        ('<|tool_call|>{"name": "count", "arguments": {"text": "x"}}<|/tool_call|>', ONE),
        ('<function_call>{"name": "count", "arguments": "{\\"text\\": \\"x\\"}"}</function_call>', ONE),
        ('<|python_tag|>{"name": "count", "parameters": {"text": "x"}}', ONE),
        ('[TOOL_CALLS][{"name": "count", "arguments": {"text": "x"}}]', ONE),
        ('[TOOL_CALLS]count[ARGS]{"text": "x"}', ONE),
        ('<tool_call>count\n{"text": "x"}\n</tool_call>', ONE),
        ('<tool_call>count(text="x")</tool_call>', ONE),
        ("<tool_call>{'name': 'count', 'arguments': {'text': 'x'}}</tool_call>", ONE),
        (
            "<tool_call>count\n<arg_key>text</arg_key>\n<arg_value>x</arg_value>\n</tool_call>",
            ONE,
        ),
        (
            '<tool_call>{"name": "count", "arguments": {"text": "x"}}</tool_call>'
            '<tool_call>{"name": "stock.find", "arguments": {"item": "a", "most": 2}}</tool_call>',
            TWO,
        ),
        (
            '<tool_calls>[{"name": "count", "arguments": {"text": "x"}},'
            ' {"function": {"name": "stock.find", "arguments": {"item": "a", "most": 2}}}]</tool_calls>',
            TWO,
        ),
        ('<tool_call>{"name": "fly", "arguments": {"to": "Rome"}}</tool_call>', [("fly", {"to": "Rome"})]),
        # objects
        ('{"name": "count", "arguments": {"text": "x"}}', ONE),
        ('I count it: {"name": "count", "parameters": {"text": "x"}} as said (see {docs} {a: 1}).', ONE),
        ('{"id": "1", "type": "function", "function": {"name": "count", "arguments": {"text": "x"}}}', ONE),
        ('{"name": "functions.count", "arguments": {"text": "x"}}', ONE),
        (
            '{"name": "count", "arguments": {"text": "x"}} ; {"name": "stock__find",'
            ' "arguments": {"item": "a", "most": 2}}',
            TWO,
        ),
        (
            '{"name": "count", "arguments": {"text": "x"}}\n{"name": "stock.find",'
            ' "arguments": {"item": "a", "most": 2}}',
            TWO,
        ),
        (
            '{"name": "count", "arguments": {"text": "{[\\"}]\\\\"}}',
            [("count", {"text": '{["}]\\'})],
        ),
        (
            '{"name": "count", "arguments": {"text": "x", "a": {"b": [{"c": {"d": 1}}]}}}',
            [("count", {"text": "x", "a": {"b": [{"c": {"d": 1}}]}})],
        ),
        ('Done.\n```json\n{"name": "tell", "arguments": {"text": "x"}}\n```', [("tell", {"text": "x"})]),
        # Python
        ("[count(text='x'), stock.find('a', most=2)]", TWO),
        (
            "[stock.find(item='it\\'s', most=None), today()]",
            [("stock.find", {"item": "it's", "most": None}), ("today", {})],
        ),
        ("[measure(sizes=['a', 'b'], deep=True)]", [("measure", {"sizes": ["a", "b"], "deep": True})]),
        ("[tell(text='x')]", [("tell", {"text": "x"})]),
        ("[count(text=b'x'), today()]", [("today", {})]),
        ("[count(text='x), today()]", [("today", {})]),
        ("[count(text='x), tell(text='y')]", []),
        ("[today(), count(text='x]", [("today", {})]),
        ("[count(text='x')])]", []),
        # markup
        ("<tool_call>\n<function=count>\n<parameter=text>\nx\n</parameter>\n</function>\n</tool_call>", ONE),
        ("<function=count><parameter=text>x</parameter></function>", ONE),
        ("<function=count>\n<parameter=text>\nx\n</parameter>", ONE),
        ('<invoke name="count"><parameter name="text">x</parameter></invoke>', ONE),
        (f"<function=count><parameter=text>\n{CODE}\n</parameter></function>", [("count", {"text": CODE})]),
        (
            '<function=measure><parameter=sizes>["a"]</parameter><parameter=deep>True</parameter></function>',
            [("measure", {"sizes": ["a"], "deep": True})],
        ),
        (
            "<function=stock.find><parameter=item>7</parameter><parameter=most>2</parameter></function>",
            [("stock.find", {"item": "7", "most": 2})],
        ),
        # none
        ("Plain text, with {braces} and [brackets].", []),
        ('{"name": "count"}', []),
        ('{"arguments": {"text": "x"}}', []),
        ('{"name": "somebody", "arguments": {"text": "x"}}', []),
        ('{"summary": "done", "data": {"name": "count", "arguments": {"text": "x"}}}', []),
        ('I could {"name": "tell", "arguments": {"text": "x"}} but I did not.', []),
        ('{"name": "tell", "arguments": {"text": "x"}}\nBut I do not send it.', []),
        ("[1] see count (2)", []),
    ],
)
def test_finds_the_calls(tools: Tools, text: str, calls: Found) -> None:
    """Each kind of server's leftovers; text that is none stays text."""
    assert _calls(text, tools) == calls


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ('<tool_call>{"name": "count", "arguments": {"text": "x"}</tool_call>', True),
        ('I look.\n<tool_call>{"name": "count"', True),
        ("<tool_call></tool_call>", True),
        ("<function=count><parameter=text>x", True),
        ("[count(text='x), today(]", True),
        ("The tag <tool_call> begins a call.", False),
        ("Plain text.", False),
    ],
)
def test_a_call_that_cannot_be_read_is_known_to_be_one(tools: Tools, text: str, broken: bool) -> None:
    """It is neither run nor completed by a guess; and the text is no answer."""
    found = calls_in(text, tools)
    assert (found.before, found.calls, found.broken) == (text, (), broken)


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ('I count.\n\n<tool_call>{"name": "count", "arguments": {"text": "x"}}</tool_call> done', "I count."),
        ('I count.\n```json\n{"name": "count", "arguments": {"text": "x"}}\n```', "I count."),
        ("[today()]", ""),
    ],
)
def test_keeps_the_prose_before_the_call(tools: Tools, text: str, before: str) -> None:
    """What was said before the call is said; the call is no part of it."""
    assert calls_in(text, tools).before == before
