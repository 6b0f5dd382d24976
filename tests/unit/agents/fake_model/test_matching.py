"""Finding the rule that answers."""

from typing import Any

import pytest

from agents.fake_model.matching import find, unmatched
from agents.fake_model.requests import Asked, Turn
from agents.fake_model.script import Rule, Script

TURNS = (
    Turn("system", "You are the planner."),
    Turn("user", "Reconcile it."),
    Turn("assistant", ""),
    Turn("tool", "first result"),
    Turn("assistant", ""),
    Turn("tool", "total 41"),
    Turn("tool", "total 42"),
)
REQUEST = Asked(
    number=5, model="fake", turns=TURNS, tools=("tables__profile", "clock"), stream=False, stream_usage=False
)


def _rules(*rules: dict[str, Any]) -> tuple[Rule, ...]:
    return Script.model_validate({"rules": rules}).rules


@pytest.mark.parametrize(
    ("when", "fits"),
    [
        ({}, True),
        ({"system": "planner"}, True),
        ({"system": ["You", "planner"]}, True),
        ({"system": ["You", "reviewer"]}, False),
        ({"system": {"lacks": "planner"}}, False),
        ({"user": "Reconcile"}, True),
        ({"user": "total"}, False),
        ({"last": "42"}, True),
        ({"last": "41"}, False),
        ({"last_role": "tool"}, True),
        ({"last_role": "user"}, False),
        ({"tool_result": "41"}, True),
        ({"tool_result": "first"}, False),
        ({"anywhere": "first"}, True),
        ({"anywhere": "nowhere"}, False),
        ({"tool_results": 3}, True),
        ({"tool_results": 2}, False),
        ({"replies": 2}, True),
        ({"replies": 0}, False),
        ({"tools": "tables.profile"}, True),
        ({"tools": ["tables__profile", "clock"]}, True),
        ({"tools": ["clock", "web.fetch"]}, False),
        ({"tools": []}, False),
        ({"model": "fake"}, True),
        ({"model": "fak"}, False),
        ({"request": 5}, True),
        ({"request": 4}, False),
        ({"system": "planner", "last": "nothing"}, False),
        ({"last": {"matches": "total [0-9]+$"}}, True),
        ({"last": {"matches": "^[0-9]+"}}, False),
    ],
)
def test_all_conditions_must_hold(when: dict[str, Any], fits: bool) -> None:
    """Each condition looks at one thing, and none is skipped."""
    found = find(_rules({"when": when, "reply": {"text": "x"}}), REQUEST, [0])
    assert (found is not None) == fits


def test_the_first_that_fits_answers() -> None:
    """Order decides; named groups come along."""
    rules = _rules(
        {"when": {"last": "nothing"}, "reply": {"text": "a"}},
        {"when": {"last": {"matches": "total (?P<total>[0-9]+)(?P<cents>,[0-9]+)?"}}, "reply": {"text": "b"}},
        {"reply": {"text": "c"}},
    )
    found = find(rules, REQUEST, [0, 0, 0])
    assert found is not None
    assert (found.rule, found.reply.text, found.groups) == (1, "b", {"total": "42", "cents": ""})


def test_a_rule_serves_as_often_as_it_may() -> None:
    """Then the next one that fits is taken."""
    rules = _rules({"times": 2, "reply": {"text": "a"}}, {"reply": {"text": "b"}})
    served = [find(rules, REQUEST, [count, 0]) for count in range(3)]
    assert [found.reply.text for found in served if found] == ["a", "a", "b"]


def test_steps_follow_the_transcript() -> None:
    """The reply is chosen by how many replies the transcript holds, so runs side by side do not disturb each other."""
    rules = _rules({"steps": [{"text": "one"}, {"text": "two"}, {"text": "three"}]}, {"reply": {"text": "after"}})
    texts = []
    for replies in range(4):
        turns = (Turn("user", "x"), *(Turn("assistant", "y") for _ in range(replies)), Turn("user", "z"))
        found = find(rules, Asked(1, "fake", turns, (), stream=False, stream_usage=False), [0, 0])
        texts.append(found.reply.text if found else None)
    assert texts == ["one", "two", "three", "after"]


def test_no_tools_are_offered() -> None:
    """An empty list fits the last call, which is made without tools."""
    bare = Asked(1, "fake", (Turn("user", "x"),), (), stream=False, stream_usage=False)
    assert find(_rules({"when": {"tools": []}, "reply": {"text": "x"}}), bare, [0]) is not None


def test_says_what_matched_nothing() -> None:
    """The message holds all that a writer of scripts needs to find the gap."""
    assert unmatched("s.yaml", REQUEST) == (
        "no rule of s.yaml fits request 5: model `fake`, 7 messages of which 2 replies and 3 tool results, "
        "tools offered: tables__profile, clock; the system prompt begins `You are the planner.`, "
        "the last message (tool) begins `total 42`"
    )
