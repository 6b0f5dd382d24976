"""Total rows of tables are the sums of the rows above them."""

import pytest

from orchestrator.domain.evidence import check_totals

HEAD = "| What | EUR | Count |\n|---|---:|---:|\n"


def table(*rows: str) -> str:
    """A table of three columns."""
    return HEAD + "\n".join(f"| {row} |" for row in rows)


@pytest.mark.parametrize(
    "text",
    [
        table("a | 1.50 | 2", "b | -0.50 | 3", "**Total** | **1.00** | **5**"),
        table("a | 1,000.50 | 2", "b | (0.50) | —", "Sum | 1,000.00 | 2"),
        table("a | 1.000,50 | ", "b | 0,50 | 3", "Summe | 1.001,00 | "),
        table("甲 | １．５０ | 2", "乙 | 1.50 | 3", "合计 | 3.00 | 5"),
        table("a | 1 | 1", "Subtotal | 1 | 1", "b | 2 | 1", "Subtotal | 2 | 1", "Total | 3 | 2"),
        table("a EUR | 1 | 1", "b USD | 5 | 1", "Total EUR | 1 | 1", "Total USD | 5 | 1"),
        table("a | 1 | 1", "Total of a | 1 | 1", "b | -3 | 1", "Total | -2 | 2"),
        table("a | 1 | 1", "Total | 1 | 1", "b | 2 | 2", "Total | 2 | 2"),
        table("Total of left | 900 | 3", "less missing | 5 | 1", "**Total of right** | 895 | 2"),
        table("Rows | 120 | 1", "Left total | 12,345 | 1"),
        table("a | 1.50 EUR | 50 %", "b | 1.50 EUR | 51 %", "Total | 3.00 EUR | 100 %"),
        table("a | 1 | see row 2", "Total | 1 | 7"),
        "| What | Average | Left row |\n|---|---|---|\n| a | 1 | 2 |\n| b | 3 | 5 |\n| Total | 2 | 3 |",
        "| | 2019 | 2018 |\n|---|---|---|\n| | 2019 | 2018 |\n| a | 5 | 6 |\n| Total | 5 | 6 |",
    ],
)
def test_totals_that_add_up(text: str) -> None:
    """Signs, locales, subtotals, currencies; what is not added up by its head or its cells is left alone."""
    assert check_totals(text) == ()


@pytest.mark.parametrize(
    ("text", "line", "written", "sum_"),
    [
        (table("a | 1.50 | 2", "b | 1.50 | 3", "Total | 3.01 | 5"), 5, "3.01", "3.00"),
        (table("a | 1.50 | 2", "b | 1.50 | 3", "Total | 3.00 | 6"), 5, "6", "5"),
        (table("a | 1 | 1", "Subtotal | 2 | 1", "b | 2 | 1", "Total | 3 | 2"), 4, "2", "1"),
        (table("a EUR | 1 | 1", "b USD | 5 | 1", "Total USD | 6 | 1"), 5, "6", "5"),
        (table("a | 1.000,50 | ", "b | 0,50 | 3", "Summe | 1.001,10 | "), 5, "1.001,10", "1.001,00"),
    ],
)
def test_totals_that_do_not(text: str, line: int, written: str, sum_: str) -> None:
    """The fault stands on the total's line and says what the rows add up to, written alike."""
    [fault] = check_totals(text)
    assert (fault.line, fault.written, fault.kind) == (line, written, "wrong_sum")
    assert f"add up to {sum_}, not {written}" in fault.mend
