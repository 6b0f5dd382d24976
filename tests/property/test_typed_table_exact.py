"""Whatever stands in a table, SQL reads every cell back exactly, under a name that it can tell from the others."""

from decimal import Decimal

import duckdb
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.tools.builtin.tables.grid import Grid, Source
from agents.tools.builtin.tables.typed_table import quoted, store, typed_table

DECIMALS = st.integers(0, 6).flatmap(lambda places: st.decimals(-(10**12), 10**12, places=places))
NAMES = st.lists(st.text(min_size=1, max_size=8), min_size=2, max_size=4, unique=True)
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)


def grid(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> Grid:
    """A table as it is after reading a workbook, where the decimal sign is certain."""
    return Grid("t", header, 1, tuple(rows), tuple(range(2, len(rows) + 2)), Source(sheet="s"))


@settings(max_examples=60, deadline=None)
@given(st.lists(DECIMALS, min_size=1, max_size=30))
def test_numbers_are_exact(numbers: list[Decimal]) -> None:
    """Each cell, and the sum."""
    table = typed_table(grid(("n", "text"), [(f"{number:f}", "x y") for number in numbers]))
    assert table.columns[0].type.startswith("DECIMAL")
    with duckdb.connect() as connection:
        store(connection, "t", table)
        read = connection.execute("SELECT n FROM t ORDER BY _row").fetchall()
        total = connection.execute("SELECT sum(n) FROM t").fetchone()
    assert [row[0] for row in read] == numbers
    assert total == (sum(numbers),)


@settings(max_examples=60, deadline=None)
@given(NAMES, st.lists(st.tuples(TEXTS, TEXTS), max_size=6))
def test_any_text_and_any_name(header: list[str], rows: list[tuple[str, str]]) -> None:
    """Names with quotes, line breaks and the same letters in another case; texts in every script."""
    width = len(header)
    cells = [(f"a{one}", f"b{other}", *["c"] * (width - 2)) for one, other in rows]
    table = typed_table(grid(tuple(header), cells))
    names = [column.name for column in table.columns]
    assert len({name.casefold() for name in names}) == len(names)
    with duckdb.connect() as connection:
        store(connection, "t", table)
        chosen = ", ".join(quoted(name) for name in names)
        read = connection.execute(f"SELECT _row, {chosen} FROM t ORDER BY _row").fetchall()
    assert [row[0] for row in read] == list(range(1, len(rows) + 1))
    for column, place in zip(table.columns, range(1, len(names) + 1), strict=True):
        if column.type == "VARCHAR":
            assert [row[place] for row in read] == list(column.cells)


def test_a_name_of_zero_signs_alone_is_no_name() -> None:
    """SQL knows no name with a zero sign in it, nor an empty one."""
    table = typed_table(grid(("\0", "a\0b", "ab"), [("1", "2", "3")]))
    assert [column.name for column in table.columns] == ["column", "ab", "ab_2"]
    with duckdb.connect() as connection:
        store(connection, "t", table)
        assert connection.execute('SELECT "column", ab, ab_2 FROM t').fetchall() == [(1, 2, 3)]
