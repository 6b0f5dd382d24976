"""A report on a terminal: narrow tables are drawn, wide ones become one entry a row, at any width."""

from io import StringIO

import pytest
from rich.console import Console

from orchestrator.cli.report_screen import shown
from orchestrator.cli.screen import THEME

REPORT = """# Title

Some words.

| Row | Party | Amount | Why |
| ---: | --- | ---: | --- |
| 7 | 南京紫金医药 | 1,204.50 | Nothing on the other side carries its reference. |
| 12 | A \\| B | **3.00** | Short. |

After it.
"""


def drawn(width: int) -> list[str]:
    """The lines at a width."""
    console = Console(file=StringIO(), width=width, theme=THEME, color_system=None)
    console.print(shown(REPORT, console))
    assert isinstance(console.file, StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def test_a_table_that_fits_is_drawn_in_columns() -> None:
    """Cells stand below their heads, figures to the right; wide characters count twice."""
    assert [line for line in drawn(110) if "Row" in line or "南京" in line or "A |" in line] == [
        "  Row  Party           Amount  Why",
        "    7  南京紫金医药  1,204.50  Nothing on the other side carries its reference.",
        "   12  A | B             3.00  Short.",
    ]


def test_the_longest_cell_goes_below_when_the_row_is_too_wide() -> None:
    """The other cells stay in columns."""
    lines = drawn(50)
    at = next(n for n, line in enumerate(lines) if "南京" in line)
    assert lines[at] == "    7  南京紫金医药  1,204.50"
    assert lines[at + 1].strip().startswith("Nothing on the other side")


@pytest.mark.parametrize("width", [20, 26])
def test_a_narrow_terminal_gets_labels_in_every_row(width: int) -> None:
    """When not even the short cells fit, each has its head before it."""
    text = " ".join(" ".join(drawn(width)).split())
    assert text.count("party") == 2
    assert text.count("amount") == 2


def test_nothing_is_lost() -> None:
    """Words before and after a table are there at any width."""
    for width in (20, 50, 110):
        text = " ".join(drawn(width))
        assert "Some words." in text
        assert "After it." in text
