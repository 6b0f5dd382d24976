"""What models without tool calls send, and the one right reading of it."""

from typing import Any

import pytest

from agents.models.base import ToolSpec
from agents.protocols.text.reading import MOST, read_answer, read_reply
from agents.protocols.text.readings import Action, Final, Unparsable

Tools = tuple[ToolSpec, ...]

FIND = {"item": "bolt"}


@pytest.mark.parametrize(
    ("text", "tool", "arguments"),
    [
        # labels
        ('Thought: I look.\nAction: stock.find\nAction Input: {"item": "螺栓"}', "stock.find", {"item": "螺栓"}),
        ('Action: stock.find\nAction Input: {"item": "bolt"}', "stock.find", FIND),
        ('Thought: t\nAction Input: {"item": "bolt"}\nAction: stock.find', "stock.find", FIND),
        ("Action: today\nAction Input: {}", "today", {}),
        ("Action: today", "today", {}),
        ("Action: today\nAction Input: none", "today", {}),
        ('Of course!\n\nThought: t\nAction: stock.find\nAction Input: {"item": "bolt"}', "stock.find", FIND),
        ('__Action:__ stock.find\n__Action Input:__ {"item": "bolt"}', "stock.find", FIND),
        ('**Action**: stock.find\n**Action Input**: {"item": "bolt"}', "stock.find", FIND),
        ('### Action: stock.find\n### Action Input: {"item": "bolt"}', "stock.find", FIND),
        ('> 1. Action: stock.find\n> 2. Action Input: {"item": "bolt"}', "stock.find", FIND),
        ('Thought 7: t\nAction 7: stock.find\nAction Input 7: {"item": "bolt"}', "stock.find", FIND),
        ('THOUGHT: t\nACTION: stock.find\nACTION_INPUT: {"item": "bolt"}', "stock.find", FIND),
        ('action: stock.find\naction-input: {"item": "bolt"}', "stock.find", FIND),
        ('想法：查一下\n动作：stock.find\n动作输入：{"item": "bolt"}', "stock.find", FIND),
        ('💡 Thought: t\n✅ Action: stock.find\n📎 Action Input: {"item": "bolt"}', "stock.find", FIND),
        ('Action: stock.find\r\nAction Input: {"item": "bolt"}\r\n', "stock.find", FIND),
        ('\ufeffAction: stock.find\u200b\nAction Input: {"item": "bolt"}', "stock.find", FIND),
        ('Action:\nstock.find\nAction Input:\n{"item": "bolt"}', "stock.find", FIND),
        ('Action: stock.find Action Input: {"item": "bolt"}', "stock.find", FIND),
        ('Thought: I look. Action: stock.find Action Input: {"item": "bolt"}', "stock.find", FIND),
        ('Action: stock.find\nInput: {"item": "bolt"}', "stock.find", FIND),
        ('**Action:** stock.find\n**Arguments:** {"item": "bolt"}', "stock.find", FIND),
        # the tool's name
        ('Action: "stock.find"\nAction Input: {"item": "bolt"}', "stock.find", FIND),
        ('Action: `stock.find`.\nAction Input: {"item": "bolt"}', "stock.find", FIND),
        ('Action: Stock_Find\nAction Input: {"item": "bolt"}', "stock.find", FIND),
        ('Action: functions.stock__find\nAction Input: {"item": "bolt"}', "stock.find", FIND),
        ('Action: stock.find (looks into the stock)\nAction Input: {"item": "bolt"}', "stock.find", FIND),
        ('Action: stock.find, to see how many\nAction Input: {"item": "bolt"}', "stock.find", FIND),
        ('Action: fly_home\nAction Input: {"to": "Rome"}', "fly_home", {"to": "Rome"}),
        ("Action: I go and look at it", "I go and look at it", {}),
        # the input
        ('Action: count\nAction Input: {\n  "text": "gross",\n}', "count", {"text": "gross"}),
        ('Action: count\nAction Input: {"text": "is {a: {b: 1}} one"}', "count", {"text": "is {a: {b: 1}} one"}),
        ('Action: count\nAction Input: "{\\"text\\": \\"x\\"}"', "count", {"text": "x"}),
        (
            'Action: measure\nAction Input: {"sizes": "[\\"a\\"]", "deep": true}',
            "measure",
            {"sizes": ["a"], "deep": True},
        ),
        ('Action: count\nAction Input: {"text": "[1, 2]"}', "count", {"text": "[1, 2]"}),
        ('Action: count\nAction Input:\n```json\n{"text": "x"}\n```', "count", {"text": "x"}),
        ('```\nAction: count\nAction Input: {"text": "x"}\n```', "count", {"text": "x"}),
        ('Action: count\nAction Input: {"text": "x"}  # short', "count", {"text": "x"}),
        ('Action: count\nAction Input: {"text": "x"} (see {docs})', "count", {"text": "x"}),
        ('Action: count\nAction Input: {"text": "a```b"}', "count", {"text": "a```b"}),
        ('Action: count\nAction Input: {"text": "a\nAction: b"}', "count", {"text": "a\nAction: b"}),
        ('Action：count\nAction Input：{"text"："总计"，}', "count", {"text": "总计"}),
        ("Action: count\nAction Input: {“text”：“总计”}", "count", {"text": "总计"}),
        ('Action: count\nAction Input: {"text": "（１＋２）"}', "count", {"text": "（１＋２）"}),
        ("Action: stock.find\nAction Input: {'item': 'a', 'most': None}", "stock.find", {"item": "a", "most": None}),
        ('Action: count\nAction Input: {"text": "x" /* why */}', "count", {"text": "x"}),
        ('Action: stock.find\nAction Input: {item: "a", most: 2}', "stock.find", {"item": "a", "most": 2}),
        ('Action: count\nAction Input: {"text": "what\'s new"}', "count", {"text": "what's new"}),
        ('Action: count\nAction Input: {"text": "say "hi" now"}', "count", {"text": 'say "hi" now'}),
        ("Action: count\nAction Input: words", "count", {"text": "words"}),
        ("Action: count\nAction Input: text: words", "count", {"text": "words"}),
        ("Action: stock.find\nAction Input:\nitem: a: b\nmost = 2", "stock.find", {"item": "a: b", "most": "2"}),
        ("Action: count\nAction Input: note: words", "count", {"text": "note: words"}),
        ('Action: count\nAction Input: "words"', "count", {"text": "words"}),
        ('Action: count\nAction Input: [{"text": "x"}]', "count", {"text": "x"}),
        ('Action: count\nAction Input: {"name": "count", "arguments": {"text": "x"}}', "count", {"text": "x"}),
        ("Action: count\nAction Input:\n```python\n  a\n\n  b\n```", "count", {"text": "  a\n\n  b\n"}),
        (
            'Action: pay\nAction Input: {"to": "A", "amount": 90071992547409931}',
            "pay",
            {"to": "A", "amount": 90071992547409931},
        ),
        # behind the name
        ('Action: stock.find["bolt"]', "stock.find", FIND),
        ("Action: stock.find[bolt]", "stock.find", FIND),
        ('Action: stock.find["M8 [steel]", 5]', "stock.find", {"item": "M8 [steel]", "most": 5}),
        ("Action: stock.find[M8 [steel] only]", "stock.find", {"item": "M8 [steel] only"}),
        ('Action: stock.find[item="bolt"]', "stock.find", FIND),
        ('Action: stock.find(item="bolt", most=2)', "stock.find", {"item": "bolt", "most": 2}),
        ("Action: stock.find('bolt')", "stock.find", FIND),
        ('Action: stock.find {"item": "bolt"}', "stock.find", FIND),
        ("Action: today()", "today", {}),
        # without labels
        ('stock.find("bolt")', "stock.find", FIND),
        ('`stock.find["bolt"]`', "stock.find", FIND),
        ('{"Thought": "t", "Action": "stock.find", "Action Input": {"item": "bolt"}}', "stock.find", FIND),
        ('{"name": "count", "arguments": {"text": "x"}}', "count", {"text": "x"}),
        ('{"tool": "count", "parameters": {"text": "x"}}', "count", {"text": "x"}),
        ('{"name": "count", "arguments": "{\\"text\\": \\"x\\"}"}', "count", {"text": "x"}),
        (
            'It is sent. Now I pay.\n{"name": "pay", "arguments": {"to": "A", "amount": 5}}',
            "pay",
            {"to": "A", "amount": 5},
        ),
        ('Thought: t\n```json\n{"action": "count", "action_input": {"text": "x"}}\n```', "count", {"text": "x"}),
        ('Action:\n```json\n{"action": "count", "action_input": "x"}\n```', "count", {"text": "x"}),
        ('<tool_call>\n{"name": "count", "arguments": {"text": "x"}}\n</tool_call>', "count", {"text": "x"}),
        (
            '<think>Perhaps. Action: none yet.</think>\nAction: count\nAction Input: {"text": "x"}',
            "count",
            {"text": "x"},
        ),
        ('Thought: I wrote "Action: count" before.\nAction: today\nAction Input: {}', "today", {}),
        ("Thought: The Final Answer is 42, I check.\nAction: today", "today", {}),
    ],
)
def test_reads_the_action(tools: Tools, text: str, tool: str, arguments: dict[str, Any]) -> None:
    """One action, in whatever dress."""
    reading = read_reply(text, tools)
    assert isinstance(reading, Action)
    assert (reading.tool, reading.arguments) == (tool, arguments)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Thought: enough.\nFinal Answer: 28 degrees.", "28 degrees."),
        ("Final Answer: One.\n\n- a\n- b", "One.\n\n- a\n- b"),
        ("最终答案：多云。", "多云。"),
        ("**Final Answer:** **bold** text", "**bold** text"),
        ("Final Answer: The next Action: item is the budget.", "The next Action: item is the budget."),
        ("Final Answer: Plan\nAction: Bob sends it", "Plan\nAction: Bob sends it"),
        ('Final Answer: {"total": 271}', '{"total": 271}'),
        ("```\nThought: t\nFinal Answer: 42\n```", "42"),
        ("Thought: t\nAction: None\nFinal Answer: 42", "42"),
        ("Thought: I know it now. Final Answer: 42", "42"),
        ("Thought: t\n## Final Answer\n\n42", "42"),
        ("Thought: t\nAnswer: 42", "42"),
        ("Action: Final Answer\nFinal Answer: 42", "42"),
        ("Action: Finish[42 degrees]", "42 degrees"),
        ('Action: Final Answer\nAction Input: "42"', "42"),
        ('```json\n{"action": "Final Answer", "action_input": "42"}\n```', "42"),
        ('{"summary": "42 bolts", "evidence": ["E1.1"]}', '{"summary": "42 bolts", "evidence": ["E1.1"]}'),
        ("Observation: 42 bolts\nThought: So 42.\nFinal Answer: 42", "42"),
    ],
)
def test_reads_the_answer(tools: Tools, text: str, answer: str) -> None:
    """One final answer, whole."""
    reading = read_reply(text, tools)
    assert isinstance(reading, Final)
    assert reading.answer == answer


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", ("`Action:`", "`Final Answer:`")),
        (" \n\t", ("`Action:`", "`Final Answer:`")),
        ("<think>hm</think>", ("`Action:`", "`Final Answer:`")),
        ("我来查询一下库存。", ("`Action:`", "`Final Answer:`")),
        ("Action: None", ("names no tool",)),
        ("Action: Final Answer", ("is empty",)),
        ("I use count(text) for it.", ("neither an Action",)),
        ("pay('A', 5) is what I do", ("neither an Action",)),
        ('Action Input: {"item": "bolt"}', ("no Action",)),
        ('{"item": "bolt"}', ("neither an Action",)),
        ("Final Answer:", ("is empty",)),
        ("Thought: t\nAction: stock.find", ("Action Input", "`item`")),
        ("Action: stock.find\nAction Input: none", ("missing", "`item`")),
        ('Action: count\nAction Input: {"text": "gross mar', ("not complete",)),
        ("Action: count\nAction Input: [1, 2]", ("a list", "`text`")),
        ("Action: pay\nAction Input: tell Anna", ("`to`", "`amount`", '{"to": "…", "amount": 0.5}')),
        ('Action: pay\nAction Input: {"to": "A", "amount": 0,5}', ("the number of `amount` has a comma",)),
        ('Action: pay\nAction Input: {"to": "A", "amount": NaN}', ("`amount` is NaN",)),
        ('Action: pay\nAction Input: {"to": "A", "amount": 1e999}', ("`amount` is NaN or Infinity",)),
        ('Action: pay\nAction Input: {"to": "A", "amount": 1, "amount": 2}', ("`amount` was given twice",)),
        ('Action: count\nAction Input: {"text": "a"} {"text": "b"}', ("one Action with one object",)),
        ('Action: count\nAction Input: {"text": "a"}\n\nor {"text": "b"}', ("one Action with one object",)),
        ('Action: count\nAction Input: {"text": "a"}])', ("`]` too many",)),
        ('<tool_call>{"name": "count", "arguments": {"text": "x"}', ("cannot be read",)),
        ("Thought: t\nObservation: 4 bolts\nFinal Answer: 4", ("You wrote an Observation",)),
    ],
)
def test_says_what_is_wrong(tools: Tools, text: str, told: tuple[str, ...]) -> None:
    """What cannot be read is answered with the reason and a right example."""
    reading = read_reply(text, tools)
    assert isinstance(reading, Unparsable)
    assert [part for part in told if part not in " ".join(reading.reasons)] == []


@pytest.mark.parametrize(
    "text",
    [
        "Action: pay\nAction Input: {'to': 'A', 'amount': 5}",
        'Action: pay\nAction Input: {"to": "A", "amount": 5,}',
        'Action: pay\nAction Input: {"to": "A", "amount": 5} or perhaps 50',
        'Action: pay\nAction Input: {"to": "A" "amount": 5}',
        "Action: tell\nAction Input: it is done",
        "Action: tell\nAction Input: text: it is done",
        "Action: tell[it is done]",
        "<tool_call>{'name': 'tell', 'arguments': {'text': 'x'}}</tool_call>",
    ],
)
def test_takes_no_liberties_with_an_effect(tools: Tools, text: str) -> None:
    """What is read with good will for a tool that reads is asked for again for one that changes something."""
    reading = read_reply(text, tools)
    assert isinstance(reading, Unparsable)


@pytest.mark.parametrize(
    "text",
    [
        'Action: tell\nAction Input: "it is done"',
        'Action: tell["it is done"]',
        'Action: tell(text="it is done")',
        'Action: tell\nAction Input: {"text": "it is done"}\n\nI wait for the result.',
    ],
)
def test_an_exact_call_with_an_effect_counts(tools: Tools, text: str) -> None:
    """Strict JSON in any of the protocol's forms is enough."""
    reading = read_reply(text, tools)
    assert isinstance(reading, Action)
    assert (reading.tool, reading.arguments) == ("tell", {"text": "it is done"})


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('Action: today\nAction: count\nAction Input: {"text": "x"}', "only the first was carried out"),
        ('{"name": "today", "arguments": {}}\n{"name": "count", "arguments": {"text": "x"}}', "only the first"),
        ("Action: today\nFinal Answer: Monday", "The Final Answer in your reply was left out"),
        ("Final Answer: Monday, I guess\nAction: today", "The Final Answer in your reply was left out"),
        ("Action: today\nObservation: Monday\nFinal Answer: Monday", "You wrote an Observation yourself"),
        ("Action: count\nAction Input: {'text': 'x'}", 'it was read as {"text": "x"}'),
    ],
)
def test_tells_what_was_left_out(tools: Tools, text: str, told: str) -> None:
    """The first action counts; the agent reads beside its result what became of the rest."""
    reading = read_reply(text, tools)
    assert isinstance(reading, Action)
    assert len(reading.notes) == 1
    assert told in reading.notes[0]


def test_an_action_alone_needs_no_word() -> None:
    """A reply as it is asked for is not commented."""
    spec = ToolSpec("count", "", {"properties": {"text": {"type": "string"}}, "required": ["text"]}, "read")
    reading = read_reply('Thought: I count.\nAction: count\nAction Input: {"text": "x"}', (spec,))
    assert reading == Action("count", {"text": "x"}, "I count.", ())


@pytest.mark.parametrize(
    ("text", "thought"),
    [
        ("Thought: one\ntwo\nAction: today", "one\ntwo"),
        ("I look.\nAction: today", "I look."),
        ("<think>deep</think>Thought: said\nAction: today", "deep\nsaid"),
        ('I ask.\n<tool_call>{"name": "today", "arguments": {}}</tool_call>', "I ask."),
        ('Thought: t\n```json\n{"name": "today", "arguments": {}}\n```', "t"),
        ("Action: today\nThought: later", ""),
    ],
)
def test_keeps_the_thought(tools: Tools, text: str, thought: str) -> None:
    """What stands before the action is its thought."""
    reading = read_reply(text, tools)
    assert isinstance(reading, Action)
    assert reading.thought == thought


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        (" 42 ", Final("42")),
        ("Thought: t\nFinal Answer: 42", Final("42", "t")),
        ("1. Action: call Bob", Final("1. Action: call Bob")),
        ("It says Final Answer: 42 somewhere", Final("It says Final Answer: 42 somewhere")),
    ],
)
def test_reads_an_answer_where_no_tool_can_be_used(text: str, reading: Final) -> None:
    """Without tools a text is the answer, with or without its label."""
    assert read_answer(text) == reading


def test_an_action_where_no_tool_can_be_used_is_refused() -> None:
    """A model that goes on calling is told to answer."""
    reading = read_answer("Thought: t\nAction: count\nAction Input: x")
    assert isinstance(reading, Unparsable)
    assert "Final Answer:" in reading.reasons[0]


def test_a_reply_without_end_is_not_read(tools: Tools) -> None:
    """Beyond the length that is read, an action is not looked for and an answer stays whole."""
    text = "Action: today\n" + "x" * MOST
    assert isinstance(read_reply(text, tools), Unparsable)
    assert read_answer(text) == Final(text)
