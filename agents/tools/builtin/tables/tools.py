"""The tool that agents read tables with: `tables.profile` says what a table holds and how it was understood."""

from typing import Annotated, Any

from pydantic import Field

from agents.tools.builtin.tables.profile import TableProfile
from agents.tools.builtin.tables.stored import stored_profile
from agents.tools.function import ToolContext, ToolResult, tool
from orchestrator.domain.counting import counted


@tool(
    "tables.profile",
    effect="read",
    use_when="you have to know what a table holds: its columns, formats, totals, and what was assumed about them",
    not_when="you have its profile already",
    seconds=120.0,
    isolated=True,
)
def profile(
    context: ToolContext,
    table: Annotated[str, Field(max_length=300, description="Name of the input that holds the table.")],
    *,
    sheet: Annotated[
        str | None, Field(max_length=300, description="Name of a workbook's sheet; left out: the first with data.")
    ] = None,
) -> ToolResult:
    """Read a table in any common format, encoding and locale, and describe it column by column."""
    found = stored_profile(context, table, sheet)
    return ToolResult(summary=_summary(found), data=found.model_dump(mode="json"), empty=not found.rows)


def _summary(found: TableProfile) -> str:
    columns = ", ".join(f"{one.name} ({_kind(one.kind, one.format)})" for one in found.columns)
    assumed = f" {counted(len(found.assumptions), 'assumption')} made." if found.assumptions else ""
    return f"{found.name} has {counted(found.rows, 'row')}. Columns: {columns}.{assumed}"


def _kind(kind: str, spelled: str | None) -> Any:
    return f"{kind}, {spelled}" if spelled else kind
