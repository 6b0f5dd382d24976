"""The strict reading of a call's arguments."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.protocols.arguments import read_arguments, why_malformed

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=3)
    ),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), JSON_VALUES, max_size=4)


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ({"a": 1}, {"a": 1}),
        ('"{\\"a\\": 1}"', {"a": 1}),
        ("", {}),
        ("  \n", {}),
        ("{}", {}),
        ('{"n": 9007199254740993123456789012345678901}', {"n": 9007199254740993123456789012345678901}),
        ('{"code": "a\n\tb"}', {"code": "a\n\tb"}),
        ('{"city": "上海"}', {"city": "上海"}),
        ('{"face": "\\ud83d\\ude00"}', {"face": "😀"}),
        ('{"half": "\\ud83d"}', {"half": "\ufffd"}),
        ('{"half \\ud83d": ["\\ud83d"]}', {"half \ufffd": ["\ufffd"]}),
    ],
)
def test_accepts_an_object_in_each_form_that_servers_send(raw: object, value: dict[str, object]) -> None:
    """An object, its text, its text encoded twice, and nothing at all are arguments."""
    read = read_arguments(raw)
    assert read.malformed is None
    assert read.value == value


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("hello", "no valid JSON (Expecting value at character 1)"),
        ('"hello"', "they were a text"),
        ('"\\"{}\\""', "they were a text"),
        ("[1]", "they were a list"),
        ('"[1]"', "they were a text"),
        ("3", "they were a number"),
        ("true", "they were true or false"),
        ("null", "they were null"),
        ('{"a": 1', "no valid JSON"),
        ('{"a": 1}])]', "no valid JSON (Extra data at character 9)"),
        ('{"a": {"b": [1, NaN]}}', "the number at $.a.b[1] is NaN or Infinity"),
        ('{"a": 1e999}', "the number at $.a is NaN or Infinity"),
        ('{"a": -Infinity}', "the number at $.a is NaN or Infinity"),
        ('{"amount": 1, "amount": 2}', "the key `amount` was given twice"),
        ('{"n": 82_461_110}', "no valid JSON"),
        ("[" * 200_000, "nested too deep"),
        ('{"n": ' + "1" * 5_000 + "}", "no valid JSON"),
    ],
)
def test_refuses_the_rest_and_says_why(raw: str, reason: str) -> None:
    """Whatever is no object keeps its raw text, and the model can be told what was wrong."""
    read = read_arguments(raw)
    assert read.malformed == raw
    assert read.value == {}
    assert reason in why_malformed(raw)


@pytest.mark.parametrize(("raw", "text"), [(None, "null"), ([1], "[1]"), (7, "7"), ({"a": float("nan")}, '{"a": NaN}')])
def test_refuses_values_that_are_no_object(raw: object, text: str) -> None:
    """Values given without encoding are refused like their texts."""
    assert read_arguments(raw).malformed == text


def test_quotes_only_the_beginning_of_a_long_text() -> None:
    """What the model reads back about its mistake stays short."""
    assert len(why_malformed("x" * 100_000)) < 400


@given(OBJECTS)
def test_every_object_survives_once_and_twice_encoded(value: dict[str, object]) -> None:
    """Any JSON object comes back as it was, encoded once or twice."""
    once = json.dumps(value, ensure_ascii=False)
    assert read_arguments(once).value == value
    assert read_arguments(json.dumps(once)).value == value


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    """No text breaks the reader, and a refused one is kept whole."""
    read = read_arguments(text)
    assert read.malformed in {None, text}
    assert not (read.malformed and read.value)
    assert why_malformed(text)
