"""Whatever decimals stand in a column of a file, a query counts with them to the last digit."""

import tempfile
from decimal import Decimal
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from agents.tools.builtin.tables.query import query
from agents.tools.function import ToolResult
from agents.tools.local_context import LocalContext

GROUPS = st.sampled_from(("north", "south", "west"))
AMOUNTS = st.integers(0, 4).flatmap(lambda places: st.decimals(-(10**9), 10**9, places=places))
ROWS = st.lists(st.tuples(GROUPS, AMOUNTS), min_size=1, max_size=20)


def asked(rows: list[tuple[str, Decimal]], sql: str) -> list[dict[str, Any]]:
    """The rows that a query over the file gives. The last of them proves the decimal sign."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sales.csv"
        path.write_text("place,amount\n" + "".join(f"{place},{amount:f}\n" for place, amount in rows), "utf-8")
        context = LocalContext(inputs={"sales": path}, settings={"cache": str(Path(folder) / "cache")})
        result = query.run(query.arguments(sql=sql), context)
    assert isinstance(result, ToolResult)
    return result.data["rows"]


@settings(max_examples=25, deadline=None)
@given(ROWS)
def test_sums_of_groups_are_exact(rows: list[tuple[str, Decimal]]) -> None:
    """A sum in SQL is the sum in decimals, of each group, whatever the number of places of its cells."""
    table = [*rows, ("east", Decimal("0.25"))]
    expected: dict[str, Decimal] = {}
    for place, amount in table:
        expected[place] = expected.get(place, Decimal(0)) + amount
    found = asked(table, "SELECT place, sum(amount) AS total FROM sales GROUP BY place")
    assert {row["place"]: row["total"] for row in found} == expected


@settings(max_examples=25, deadline=None)
@given(ROWS, AMOUNTS)
def test_differences_and_comparisons_are_exact(rows: list[tuple[str, Decimal]], bound: Decimal) -> None:
    """Taking away and comparing lose nothing either: no cell slips over a bound by its last digit."""
    table = [*rows, ("east", Decimal("0.25"))]
    sql = f"SELECT _row, amount - {bound:f} AS above FROM sales WHERE amount >= {bound:f} ORDER BY _row"
    found = asked(table, sql)
    assert [(row["_row"], row["above"]) for row in found] == [
        (number, amount - bound) for number, (_, amount) in enumerate(table, 1) if amount >= bound
    ]
