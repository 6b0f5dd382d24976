"""Loosely written JSON is read where it can mean one thing."""

from typing import Any

import pytest

from agents.protocols.text.notation import NotationError, read_strict, read_value
from agents.protocols.text.repair import repaired, twice

TEXTS: dict[str, Any] = {"q": {"type": "string"}, "r": {"type": "string"}}


@pytest.mark.parametrize(
    ("text", "value", "liberties"),
    [
        ('{"a": [1, 2.5, true, null, "x"]}', {"a": [1, 2.5, True, None, "x"]}, set()),
        ('{"a": "line\nline"}', {"a": "line\nline"}, set()),
        ('{"a": 90071992547409931}', {"a": 90071992547409931}, set()),
        ('{"a": "\\ud83d\\ude00 \\u4e2d"}', {"a": "😀 中"}, set()),
        ("{'a': 'it\\'s'}", {"a": "it's"}, {"single quotes"}),
        ("{'a': True, 'b': None}", {"a": True, "b": None}, {"single quotes", "Python's words"}),
        ('{"a": (1, 2), "b": ("x")}', {"a": [1, 2], "b": "x"}, {"Python's words"}),
        ("{a: 1, b-c.d: 2}", {"a": 1, "b-c.d": 2}, {"a key without quotes"}),
        ('{"a": [1,],}', {"a": [1]}, {"a trailing comma"}),
        ('{// one\n"a": 1, # two\n/* three */ "b": 2}', {"a": 1, "b": 2}, {"a comment"}),
        ('{"a"：1，"b"：【2、3】}', {"a": 1, "b": [2, 3]}, {"wide punctuation"}),
        ("{“a”: “上海”}", {"a": "上海"}, {"quotes or escapes that JSON does not have"}),
        ('{"a": "\\d+"}', {"a": "\\d+"}, {"quotes or escapes that JSON does not have"}),
        (
            '{"a": .5, "b": 1., "c": +2, "d": 82_461_110}',
            {"a": 0.5, "b": 1.0, "c": 2, "d": 82461110},
            {"a number that JSON writes otherwise"},
        ),
        ('{"a": , "b": 2, "c":}', {"b": 2}, {"a key without a value"}),
        ("#\n" * 600 + "{a: 1}", {"a": 1}, {"a comment", "a key without quotes"}),
    ],
)
def test_reads_what_means_one_thing(text: str, value: object, liberties: set[str]) -> None:
    """The value, the end, and the liberties that were taken; strict JSON takes none."""
    read = read_value(text)
    assert (read.value, read.end, read.liberties) == (value, len(text), liberties)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"a": NaN}', "the number at `a` is NaN or Infinity"),
        ('{"a": {"b": [1e999]}}', "`a.b[0]` is NaN"),
        ("{'a': -Infinity}", "at `a` `-Infinity` is no number"),
        ("{'a': 1e999}", "larger than any number"),
        ('{"a": 1, "a": 2}', "the key `a` was given twice"),
        ("{'a': 1, 'a': 2}", "the key `a` was given twice"),
        ('{"a": 0,5}', "the number of `a` has a comma"),
        ('{"a": [1, 2, ...]}', "at `a.2` `...]}` is no value"),
        ('{"a": x}', "`x` is no value"),
        ('{"a": 10-20}', "`10-20}` is no number"),
        ('{"a": 007}', "begins with a nought"),
        ('{"a" "b"}', "a colon is missing after `a`"),
        ('{"a": "b" "c": 1}', "a comma is missing"),
        ("[" * 2_000, "nested too deep"),
        ("{'a':" * 100, "nested too deep"),
        ('{"a": ' + "1" * 5_000 + "}", "too many digits"),
        ("['" + "a', '" * 10_000 + "']", "too long"),
    ],
)
def test_refuses_what_is_ambiguous(text: str, why: str) -> None:
    """With the place and the reason."""
    with pytest.raises(NotationError) as caught:
        read_value(text)
    assert why in str(caught.value)
    assert not caught.value.cut


@pytest.mark.parametrize("text", ["{", '{"a', '{"a":', '{"a": "x', "{'a': [1, ", '{"a": 1', "[/* x", "{'a': 'x"])
def test_knows_what_ends_too_early(text: str) -> None:
    """Output that was cut off is told from output that is wrong."""
    with pytest.raises(NotationError) as caught:
        read_value(text)
    assert caught.value.cut


def test_strict_json_of_any_length_is_read() -> None:
    """Only what has to be interpreted is bounded."""
    long = '{"a": "' + "x" * 100_000 + '"} and more'
    read = read_strict(long)
    assert read is not None
    assert read.end == len(long) - len(" and more")
    assert read_strict("{a: 1}") is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"q": "x" "r": "y"}', {"q": "x", "r": "y"}),
        ('{"q" "x"}', {"q": "x"}),
        ('{"q": "say "hi" now"}', {"q": 'say "hi" now'}),
        ('{"q": 10-20}', {"q": "10-20"}),
        ('{\\"q\\": \\"x\\"}', {"q": "x"}),
    ],
)
def test_repairs_what_lacks_only_punctuation(text: str, value: dict[str, Any]) -> None:
    """No letter is lost, added or moved, and no number is touched."""
    read = repaired(text, TEXTS)
    assert read is not None
    assert (read.value, read.liberties) == (value, {"broken JSON"})


@pytest.mark.parametrize(
    "text",
    [
        '{"q": "x',
        '{"q": "x"',
        '{"q": ["a", "b", ...]}',
        '{"q": ["a", "b" …]}',
        '{"q": "x" "n": 5}',
        '{"n": "1,50" "q": "x"}',
        '{"q": "x"} {"q": "y"}',
        '["q" "x"]',
        "{'q': 'what's new'}",
        '{"q": "x" "r": tr}{',
        "{" * 300 + "}",
        '{"q" "' + "x" * 3_000 + '"}',
        "no object",
    ],
)
def test_a_bold_repair_is_none(text: str) -> None:
    """What may be cut off, leaves something out, holds a number, or gives a text another end is asked for again."""
    assert repaired(text, TEXTS | {"n": {"type": "number"}}) is None


@pytest.mark.parametrize(
    ("rest", "more"),
    [
        ("", False),
        (" that is all (see {docs})", False),
        (' {"a": 1}', True),
        (", {'a': 1}", True),
        (' or else {"a": 1}', True),
        (' or else {"a": NaN}', True),
        (" {} ", True),
        ("```\n", False),
    ],
)
def test_sees_a_second_object(rest: str, more: bool) -> None:
    """Two objects where one is due are two meanings; braces in prose are none."""
    assert twice(rest) == more
