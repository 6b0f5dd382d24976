"""Separating thought from speech."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.protocols.thoughts import split_thought, text_of


@pytest.mark.parametrize(
    ("text", "thought", "said"),
    [
        ("plain", "", "plain"),
        ("  spaced \n", "", "  spaced \n"),
        ("<think>hm</think>yes", "hm", "yes"),
        ("\n<think>\nhm\n</think>\n\nyes", "hm", "yes"),
        ("<thinking>a</thinking><think>b</think> c", "a\nb", "c"),
        ("hm\n</think>\n\nyes", "hm", "yes"),
        ("</think>yes", "", "yes"),
        ("<think>cut off", "cut off", ""),
        ("<think></think>yes", "", "yes"),
        ("a < b and b > c", "", "a < b and b > c"),
        ("The tag <think>x</think> is HTML", "", "The tag <think>x</think> is HTML"),
        ("Write </think> to end it", "", "Write </think> to end it"),
    ],
)
def test_takes_thought_from_the_beginning_only(text: str, thought: str, said: str) -> None:
    """Blocks at the beginning are thought, opened or not; a tag inside a sentence is speech."""
    assert split_thought(text) == (thought, said)


def test_joins_parts() -> None:
    """A content of parts is read like a text; parts of thought are thought."""
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "one "},
        "two",
        {"type": "image_url", "image_url": {}},
        {"type": "refusal", "refusal": " three"},
        7,
    ]
    assert text_of(parts) == ("hm", "one two three")


@pytest.mark.parametrize("content", [None, 7, {}])
def test_no_content_is_no_text(content: object) -> None:
    """Null, a number and an object are no speech."""
    assert text_of(content) == ("", "")


@given(st.text(st.characters(exclude_characters="<")))
def test_text_without_tags_is_unchanged(text: str) -> None:
    """Nothing is cut from plain text."""
    assert split_thought(text) == ("", text)


@given(st.text())
def test_any_text_can_be_split(text: str) -> None:
    """What is said is always a part of the text."""
    _, said = split_thought(text)
    assert said in text
