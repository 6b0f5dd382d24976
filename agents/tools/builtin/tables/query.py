"""The tool `tables.query`: SQL over the run's tables, exact to the last digit."""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from agents.tools.builtin.tables.database import Answer, ask
from agents.tools.builtin.tables.sql_faults import listed
from agents.tools.function import ToolContext, ToolResult, tool
from orchestrator.domain.counting import counted

USUAL_ROWS = 100
MOST_ROWS = 5_000
_MOST_NOTES = 12


@tool(
    "tables.query",
    effect="read",
    use_when="rows of the inputs have to be filtered, counted, summed, joined or compared",
    not_when="you do not know the columns yet (profile the table first), or a single figure has to be computed",
    seconds=120.0,
    isolated=True,
)
def query(
    context: ToolContext,
    sql: Annotated[
        str,
        Field(
            min_length=1,
            max_length=20_000,
            description='One SELECT in DuckDB\'s SQL. Each input is a table by its name (quote "left", "right"), '
            'a workbook\'s other sheets are input."sheet". _row is the row number from 1; numbers are exact decimals, '
            "dates are DATE.",
            examples=["SELECT strftime(date, '%Y-%m') AS month, sum(amount) AS total FROM bank GROUP BY 1 ORDER BY 1"],
        ),
    ],
    *,
    limit: Annotated[int, Field(ge=1, le=MOST_ROWS, description="How many rows at most.")] = USUAL_ROWS,
) -> ToolResult:
    """Query the run's tables with SQL, read-only."""
    answer = ask(context, sql, limit)
    data = {
        "sql": sql,
        "columns": [{"name": name, "type": kind} for name, kind in answer.columns],
        "rows": answer.rows,
        "row_count": len(answer.rows),
        "total_rows": answer.total,
        "tables": [{"name": one.name, "file": one.filename, "rows": one.rows} for one in answer.tables],
        "notes": _notes(answer),
    }
    shown = {name: data[name] for name in ("rows", "total_rows", "notes") if data[name] not in ([], None)}
    return ToolResult(
        summary=_summary(answer, list(context.input_names())), data=data, shown=shown or data, empty=not answer.rows
    )


def _summary(answer: Answer, inputs: Sequence[str]) -> str:
    if not answer.rows and not answer.tables:
        return f"The query returned no row, and names no table. The tables are: {listed(inputs)}."
    if not answer.rows:
        return (
            "The query returned no row: nothing meets its conditions. Look at the values there are (SELECT DISTINCT …)."
            " Texts are compared letter by letter, ILIKE is not so strict, and NULL equals nothing."
        )
    if len(answer.rows) == 1 and len(answer.columns) <= 4:
        return "; ".join(f"{name} = {_short(value)}" for name, value in answer.rows[0].items())
    names = ", ".join(name for name, _ in answer.columns)
    if answer.complete:
        return f"{counted(len(answer.rows), 'row')}: {names}."
    there_are = f"of {answer.total:,} rows" if answer.total else "rows, there are more"
    return f"The first {len(answer.rows)} {there_are}: {names}. Filter or group, or raise `limit`."


def _short(value: Any) -> str:
    text = f"{value:f}" if hasattr(value, "as_tuple") else str(value)
    return text if len(text) <= 80 else text[:79] + "…"


def _notes(answer: Answer) -> list[str]:
    """What was assumed about the tables, and which results are not exact."""
    inexact = [name for name, kind in answer.columns if kind in {"DOUBLE", "FLOAT"}]
    notes = [f"{', '.join(inexact)}: floating-point, rounded in the last digits."] if inexact else []
    for table in answer.tables:
        notes += (f"{table.name}: {note}" for note in table.notes)
    return notes[:_MOST_NOTES]
