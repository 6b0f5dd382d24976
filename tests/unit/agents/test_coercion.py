"""Arguments in another spelling than the schema's are read where there is one way to read them."""

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.coercion import coerced, fits, one_date

TEXT, WHOLE, NUMBER = {"type": "string"}, {"type": "integer"}, {"type": "number"}
TRUTH, NULL, DAY = {"type": "boolean"}, {"type": "null"}, {"type": "string", "format": "date"}
AMOUNT = {"anyOf": [NUMBER, {"type": "string", "pattern": r"^-?\d+(\.\d+)?$"}]}


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _optional(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [schema, NULL], "default": None}


FILTER = {"type": "object", "properties": {"column": TEXT, "least": WHOLE}, "required": ["column"]}


@pytest.mark.parametrize(
    ("value", "schema", "read"),
    [
        ("3", WHOLE, 3),
        (" ３ ", WHOLE, 3),
        ("3.0", WHOLE, 3),
        (3.0, WHOLE, 3),
        ("90071992547409931", WHOLE, 90071992547409931),
        ("0.5", NUMBER, 0.5),
        ("1e3", NUMBER, 1000.0),
        ("3", _optional(WHOLE), 3),
        ("5.10", AMOUNT, "5.10"),
        (90071992547409931, TEXT, "90071992547409931"),
        ("TRUE", TRUTH, True),
        ("否", TRUTH, False),
        ("20.11.2024", DAY, "2024-11-20"),
        ("2024年11月20日", DAY, "2024-11-20"),
        ("20 November 2024", _optional(DAY), "2024-11-20"),
        ("Nov 20, 2024", DAY, "2024-11-20"),
        ("20241120", DAY, "2024-11-20"),
        ("2024-11-20", _optional(DAY), "2024-11-20"),
        ("Missing In Left", {"enum": ["missing_in_left", "amount"]}, "missing_in_left"),
        ("2", {"enum": [1, 2, 3]}, 2),
        ("金额", {"enum": ["amount"], "aliases": {"金额": "amount"}}, "amount"),
        ("金额", {"anyOf": [{"enum": ["amount"]}, NULL], "aliases": {"金额": "amount"}}, "amount"),
        ("a,b", _list(TEXT), ["a", "b"]),
        ("a; b, c", _list(TEXT), ["a", "b, c"]),
        ("北京、上海", _list(TEXT), ["北京", "上海"]),
        ("a", _list(TEXT), ["a"]),
        ("1, 2, 3", _list(WHOLE), [1, 2, 3]),
        ('["a", "b"]', _list(TEXT), ["a", "b"]),
        ("20.11.2024, 21.11.2024", _list(DAY), ["2024-11-20", "2024-11-21"]),
        ('{"column": "x"}', FILTER, {"column": "x"}),
        ('{"column": "x", "least": "3"}', FILTER, {"column": "x", "least": 3}),
        ({"column": "x", "least": "3"}, _list(FILTER), [{"column": "x", "least": 3}]),
        ([{"column": "x", "least": None}], _list(FILTER), [{"column": "x"}]),
        ({"a": "1"}, {"type": "object", "additionalProperties": WHOLE}, {"a": 1}),
    ],
)
def test_reads_another_spelling(value: object, schema: dict[str, Any], read: object) -> None:
    """One way to read it: it is read."""
    found = coerced(value, schema)
    assert (found, type(found)) == (read, type(read))


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ("1,234", WHOLE),
        ("0,5", NUMBER),
        ("3 pieces", WHOLE),
        ("3.5", WHOLE),
        ("NaN", NUMBER),
        ("1e999", NUMBER),
        ("1,5", _list(NUMBER)),
        ("1,234", _list(WHOLE)),
        ("", _list(TEXT)),
        ("a,b", _list(WHOLE)),
        (0.5, TEXT),
        (True, TEXT),
        ("maybe", TRUTH),
        ("03/04/2024", DAY),
        ("20.11.24", DAY),
        ("2024-02-30", DAY),
        ("tomorrow", DAY),
        ("2024-11-20T15:00", DAY),
        ("sideways", {"enum": ["up", "down"]}),
        ("-", {"enum": ["_", "."]}),
        ("[1, 2]", TEXT),
        ("[1, 2]", {}),
        (None, WHOLE),
    ],
)
def test_leaves_what_is_a_guess(value: object, schema: dict[str, Any]) -> None:
    """Two ways to read it, or none: it stays as it was sent, to be refused."""
    assert coerced(value, schema) is value


def test_null_for_what_has_to_be_there_stays() -> None:
    """Only an argument with a default may be left out, and only where null is no value of its own."""
    schema = {"type": "object", "properties": {"a": WHOLE, "b": WHOLE, "c": _optional(WHOLE)}, "required": ["a"]}
    assert coerced({"a": None, "b": None, "c": None, "d": None}, schema) == {"a": None, "c": None, "d": None}


@given(st.dates(date(1900, 1, 1), date(2199, 12, 31)))
def test_a_date_is_read_as_itself_or_not_at_all(day: date) -> None:
    """Whatever the order of its numbers, a date is never read as another one."""
    for text in (day.strftime("%Y/%m/%d"), f"{day.year}年{day.month}月{day.day}日", day.strftime("%d.%m.%Y")):
        assert one_date(text) == day
    for text in (day.strftime("%d/%m/%Y"), day.strftime("%m/%d/%Y")):
        assert one_date(text) in {day, None}


@given(st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.booleans(), st.text()))
def test_what_fits_is_not_touched(value: object) -> None:
    """A value that a schema takes as it is stays the same."""
    for schema in (TEXT, WHOLE, NUMBER, TRUTH, AMOUNT, _optional(NUMBER)):
        if fits(value, schema) and not (isinstance(value, float) and schema is WHOLE):
            assert coerced(value, schema) is value
