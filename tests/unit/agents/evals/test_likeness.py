"""Found data has what is expected of it, or not."""

from typing import Any

import pytest

from agents.evals.likeness import is_like


@pytest.mark.parametrize(
    ("expected", "found"),
    [
        ({}, {"a": 1}),
        ({"a": 1}, {"a": 1, "b": 2}),
        ({"a": {"b": [1, 2]}}, {"a": {"b": [1, 2], "c": 3}}),
        (0.3, "0.30"),
        ("0.30", 0.3),
        (1250, "1250.00"),
        ("Vienna", "  vienna "),
        ("two  words", "two words"),
        ("/vien+a/", "Vienna, Austria"),
        ("/^42$/", 42),
        (True, True),
        (None, None),
        ([{"a": 1}], [{"a": 1, "b": 2}]),
    ],
)
def test_is_like(expected: Any, found: Any) -> None:
    """Some keys, numbers by value, texts whatever their case, patterns."""
    assert is_like(expected, found)


@pytest.mark.parametrize(
    ("expected", "found"),
    [
        ({"a": 1}, {"b": 1}),
        ({"a": 1}, [1]),
        ({"a": None}, {}),
        ([1, 2], [1]),
        ([1, 2], [2, 1]),
        ([1], "1"),
        (1, True),
        (True, 1),
        (False, None),
        (None, "None"),
        ("Vienna", "Vienna, Austria"),
        ("/berlin/", "Vienna"),
        ("/x/", ["x"]),
        (1, "one"),
        ("nan", float("nan")),
    ],
)
def test_is_not_like(expected: Any, found: Any) -> None:
    """Another value, another kind of value, another length."""
    assert not is_like(expected, found)
