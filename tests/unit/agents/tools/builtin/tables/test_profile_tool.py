"""The tool `tables.profile` as an agent calls it."""

from decimal import Decimal
from pathlib import Path

import pytest

from agents.errors import ToolError
from agents.tools.builtin.tables.query import query
from agents.tools.builtin.tables.tools import profile
from agents.tools.function import ToolResult
from agents.tools.local_context import LocalContext


def test_the_summary_names_rows_and_columns_and_the_data_is_the_profile(tmp_path: Path) -> None:
    """What the agent reads first, and the whole behind it."""
    (tmp_path / "ledger.csv").write_text("ref,date,amount\nA-1,2026-03-01,10.50\nA-2,2026-03-02,9.00\n")
    context = LocalContext(inputs={"ledger": tmp_path / "ledger.csv"})
    result = profile.run(profile.arguments(table="ledger"), context)
    assert isinstance(result, ToolResult)
    assert result.summary.startswith("ledger.csv has 2 rows.")
    assert "amount (number, 1234.56)" in result.summary
    assert result.data["columns"][2]["sum"] == "19.50"
    assert profile.effect == "read"
    assert profile.isolated


def test_bad_input_is_an_error_the_agent_can_read(tmp_path: Path) -> None:
    """The reader's one line, with what to do about it."""
    (tmp_path / "ledger.csv").write_bytes(b"%PDF-1.7")
    context = LocalContext(inputs={"ledger": tmp_path / "ledger.csv"})
    with pytest.raises(ToolError) as caught:
        profile.run(profile.arguments(table="ledger"), context)
    assert caught.value.code == "unusable_input"
    assert caught.value.what == "ledger.csv: this is a PDF document, not a table"
    assert caught.value.mend == "Export it as CSV (UTF-8) or XLSX."


def test_what_the_profile_read_is_what_a_query_asks(tmp_path: Path) -> None:
    """One file is kept for both; asked again, the profile is the same though nothing is read."""
    (tmp_path / "ledger.csv").write_text("ref,date,amount\nA-1,2026-03-01,10.50\nA-2,2026-03-02,9.00\n")
    context = LocalContext(inputs={"ledger": tmp_path / "ledger.csv"}, settings={"cache": str(tmp_path / "cache")})
    first = profile.run(profile.arguments(table="ledger"), context)
    kept = sorted(tmp_path.glob("cache/*"))
    assert len(kept) == 1
    written = kept[0].read_bytes()
    asked = query.run(query.arguments(sql="SELECT sum(amount) AS total FROM ledger"), context)
    again = profile.run(profile.arguments(table="ledger"), context)
    assert isinstance(asked, ToolResult)
    assert asked.data["rows"] == [{"total": Decimal("19.50")}]
    assert again == first
    assert sorted(tmp_path.glob("cache/*")) == kept
    assert kept[0].read_bytes() == written


def test_another_content_under_the_same_name_is_profiled_anew(tmp_path: Path) -> None:
    """What is kept belongs to the content, not to the name of the file."""
    context = LocalContext(inputs={"ledger": tmp_path / "ledger.csv"}, settings={"cache": str(tmp_path / "cache")})
    sums: list[str] = []
    for amount in ("9.00", "9.01"):
        (tmp_path / "ledger.csv").write_text(f"ref,date,amount\nA-1,2026-03-01,10.50\nA-2,2026-03-02,{amount}\n")
        found = profile.run(profile.arguments(table="ledger"), context)
        assert isinstance(found, ToolResult)
        sums.append(found.data["columns"][2]["sum"])
    assert sums == ["19.50", "19.51"]
