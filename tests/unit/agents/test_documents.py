"""What is read as the one JSON object of a reply, and what is told back instead of being guessed."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.documents import DocumentError, the_object

A = {"a": 1}
UUID = "12e45678-1234-4abc-9def-0123456789ab"


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}',
        '\n\n  {"a": 1}\n\n',
        '```json\n{"a": 1}\n```',
        '```\n\n{"a": 1}\n\n```',
        '```JSON\n{"a": 1}\n```\nThat is all.',
        'Here it is:\n{"a": 1}\nGood luck.',
        'Here it is {} as asked: {"a": 1}',
        '```json\n{"a": 1}',
        '\ufeff{"a": 1}',
    ],
)
def test_alone_in_a_fence_or_between_prose(text: str) -> None:
    """A fence that does not end is one too."""
    assert the_object(text) == A


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'a': 'it', 'b': True, 'c': None}", {"a": "it", "b": True, "c": None}),
        ('{a: "x", b-c: [1, 2,],}', {"a": "x", "b-c": [1, 2]}),
        ('{"a": 1, // one\n # two\n /* three */ "b": 2}', {"a": 1, "b": 2}),
        ("{“a”: “x”， “b”：2}", {"a": "x", "b": 2}),
        ('｛"a"：1｝', A),
        ('{"n": 82_461_110, "q": .25, "o": 1.}', {"n": 82461110, "q": 0.25, "o": 1.0}),
        ('{"a": 1, "gone": }', A),
        ('{"a": 1/3, "b": 10-20, "c": [1.1.1]}', {"a": "1/3", "b": "10-20", "c": ["1.1.1"]}),
        ('{"on": 2026-03-01, "of": -1, "to": 1e-5}', {"on": "2026-03-01", "of": -1, "to": 1e-5}),
        (f'{{"id": {UUID}, "of": a1b2c3d4{UUID[8:]}}}', {"id": UUID, "of": f"a1b2c3d4{UUID[8:]}"}),
        ("Sure:\n```python\n{'a': 1}\n```\n", A),
        ('{\\"a\\": 1, \\"b\\": \\"say \\\\\\"x\\\\\\"\\"}', {"a": 1, "b": 'say "x"'}),
        ("{\n" + "// a comment\n" * 600 + '"a": 1}', A),
    ],
)
def test_notations_that_models_mix_in(text: str, value: dict[str, Any]) -> None:
    """Each has one meaning."""
    assert the_object(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1, "b": {"c": "x"}', {"a": 1, "b": {"c": "x"}}),
        ('{"a": [{"b": "x"}]', {"a": [{"b": "x"}]}),
        ('{"a": ["x", "y"', {"a": ["x", "y"]}),
        ('```json\n{"a": "x"\n```', {"a": "x"}),
    ],
)
def test_last_brackets_that_lack(text: str, value: dict[str, Any]) -> None:
    """What was cut off never comes here; a model that forgets a bracket has said everything."""
    assert the_object(text) == value


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "holds no whole JSON object"),
        ("Just words.", "holds no whole JSON object"),
        ("[1, 2]", "a JSON list, but an object is due"),
        ("1", "a JSON int, but an object is due"),
        ('{"a": 1}\n{"b": 2}', "holds 2 JSON objects"),
        ("{'a': 1} {'b': 2}", "holds 2 JSON objects"),
        ("{'a': [1, 2, ...]}", "at `a.2` `..."),
        ('{"a": 1, "a": 2}', "the key `a` was given twice"),
        ("{'a': 1, 'a': 2}", "the key `a` was given twice"),
        ('{"a": NaN}', "NaN"),
        ('{"a": 1e999}', "NaN or Infinity"),
        ('{"a": 1 "b": 2}', "at `a` `1` is no number"),
        ('{"a": "x" "b": 2}', "a comma is missing"),
        ('{"a": {"b": 1}, "c": [', "holds no whole JSON object"),
        ("{'a' 1}", "a colon is missing after `a`"),
        ('{"a": 12', "holds no whole JSON object"),
        ('{"a": "half', "does not end"),
        ('{"a": tru', "holds no whole JSON object"),
        ('{"a": 1/3 + 1}', "`1/3` is no number"),
        ('{"a": 12 kg}', "`12` is no number"),
        ('{"a": 1.1.', "`1.1.` is no number"),
        ('{"a": 1-2', "holds no whole JSON object"),
        ('{"amount": 1,204.50}', "decimals begin with a point"),
        ("{" * 5000, "holds no whole JSON object"),
        ('{"a":' * 3000 + "1" + "}" * 3000, "nested too deep"),
    ],
)
def test_what_is_told_back(text: str, why: str) -> None:
    """With the place, so that it can be mended."""
    with pytest.raises(DocumentError, match=why.replace("(", r"\(")):
        the_object(text)


def test_fences_and_quotes_inside_texts_stay() -> None:
    """They are content."""
    value = {"code": '```python\nprint("x")\n```', "html": '<a href="x">{"b": 1}</a>', "rule": "[\"']+"}
    assert the_object(json.dumps(value)) == value
    assert the_object(f"Here:\n```json\n{json.dumps(value, indent=1)}\n```") == value


def test_integers_are_exact() -> None:
    """Of any size."""
    assert the_object('{"n": 9007199254740993123}') == {"n": 9007199254740993123}


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
OBJECTS = st.dictionaries(st.text(), VALUES, min_size=1, max_size=5)


@given(OBJECTS, st.sampled_from(["{}", "```json\n{}\n```", "It is this.\n\n{}\n", "```\n{}"]), st.booleans())
def test_whatever_is_written_is_read(value: dict[str, Any], around: str, ascii_only: bool) -> None:
    """Any object, alone, fenced or after prose."""
    text = json.dumps(value, ensure_ascii=ascii_only)
    try:
        text.encode()
    except UnicodeEncodeError:
        return
    assert the_object(around.replace("{}", text)) == value


@given(st.text(alphabet="{}[]\"'\\:,.a1 \n`/#*“”：，", max_size=60))
def test_no_text_is_a_defect(text: str) -> None:
    """An object or a sentence, for every text."""
    try:
        assert isinstance(the_object(text), dict)
    except DocumentError as error:
        assert str(error)
