"""The tool `tables.profile` as an agent calls it."""

from pathlib import Path

import pytest

from agents.errors import ToolError
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
