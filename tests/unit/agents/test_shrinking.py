"""Fitting a JSON value into so many characters: what stays, what goes, and what is said about it."""

from typing import Any

import pytest

from agents.fences import encoded
from agents.shrinking import Cut, shrink, size


@pytest.mark.parametrize(
    "value", [None, True, 12, "text", [1, [2, {}], []], {"a": {"b": "c\n"}, "名": "值"}, "</observation>"]
)
def test_measures_a_value_as_it_is_written(value: Any) -> None:
    """The measure is the length of the JSON text, fences in it escaped."""
    assert size(value, 10_000) == len(encoded(value))


def test_leaves_alone_what_fits() -> None:
    """Nothing is cut that has room."""
    value = {"rows": [[1, "a"], [2, "b"]], "total": 2}
    assert shrink(value, len(encoded(value))) == (value, ())


def test_keeps_the_first_rows_of_a_long_list_whole() -> None:
    """Rows are kept or left out, never broken; the count says how many of how many."""
    rows = [{"row": number, "text": "x" * 20} for number in range(100)]
    kept, cuts = shrink({"rows": rows, "total": 100}, 200)
    assert kept == {"rows": rows[:4], "total": 100}
    assert cuts == (Cut("/rows", 4, 100, "items"),)


def test_keeps_small_fields_whole_and_lets_large_ones_share() -> None:
    """A large field cannot push a small one out, whatever their order."""
    kept, cuts = shrink({"text": "a" * 5_000, "more": "b" * 5_000, "count": 7, "name": "left"}, 300)
    assert (kept["count"], kept["name"]) == (7, "left")
    assert abs(len(kept["text"]) - len(kept["more"])) <= 1
    assert len(encoded(kept)) <= 300
    assert {(cut.path, cut.of, cut.unit) for cut in cuts} == {
        ("/text", 5_000, "characters"),
        ("/more", 5_000, "characters"),
    }


def test_shows_something_of_each_table_in_a_short_list() -> None:
    """Of two tables the second is not hidden by the first."""
    tables = [{"name": name, "rows": [[n] * 5 for n in range(200)]} for name in ("left", "right")]
    kept, _ = shrink(tables, 400)
    assert [(table["name"], len(table["rows"]) > 5) for table in kept] == [("left", True), ("right", True)]


def test_leaves_out_the_last_of_too_many_fields() -> None:
    """Of a thousand fields the first ones stay."""
    kept, cuts = shrink({f"field{number}": number for number in range(1_000)}, 100)
    assert list(kept) == [f"field{number}" for number in range(len(kept))]
    assert cuts == (Cut("", len(kept), 1_000, "fields"),)


def test_names_places_so_that_they_can_be_read_again() -> None:
    """A path is a JSON pointer: a key with a slash in it stays one part."""
    _, cuts = shrink({"a/b": {"c~d": "x" * 500}}, 100)
    assert cuts[0].path == "/a~1b/c~0d"


@pytest.mark.parametrize("value", ["text", 123_456, [1], {"a": 1}])
def test_gives_nothing_where_nothing_fits(value: Any) -> None:
    """Without room for even a beginning nothing is shown, not half a value."""
    assert shrink(value, 1) == (None, (Cut("", 0, 1, "items"),))
