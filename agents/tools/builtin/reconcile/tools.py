"""The tools that agents reconcile with: `reconcile.match` looks, `reconcile.settle` applies what people decided."""

from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from agents.errors import ToolError
from agents.tools.builtin.reconcile.columns import prepare
from agents.tools.builtin.reconcile.data import as_data, from_data
from agents.tools.builtin.reconcile.exceptions import write_exceptions
from agents.tools.builtin.reconcile.matching import Matching
from agents.tools.builtin.reconcile.matching import match as match_sides
from agents.tools.builtin.reconcile.options import Look, MatchOptions, PassName, ordered, passes_of
from agents.tools.builtin.reconcile.questions import Decision
from agents.tools.builtin.reconcile.report import write_report
from agents.tools.builtin.reconcile.settling import settle as settle_questions
from agents.tools.builtin.tables.grid import Grid
from agents.tools.builtin.tables.reading import read_table
from agents.tools.function import ToolContext, ToolResult, tool
from orchestrator.errors import InputError

_SECONDS = 240.0
_Hints = Annotated[
    dict[str, str],
    Field(
        description="Columns by role, only where the profile shows that they would be found wrongly: "
        '{"amount": "Betrag", "reference": "Rechnung"}. Roles: amount, debit, credit, sign, date, reference, party, '
        "currency, text."
    ),
]


@tool(
    "reconcile.match",
    effect="read",
    use_when="the bookings of two tables have to be matched; start strict and look again as `next_look` says",
    not_when="questions of a matching were answered: `reconcile.settle` applies the answers",
    seconds=_SECONDS,
    isolated=True,
)
def match(
    context: ToolContext,
    left: Annotated[str, Field(description="Name of the input whose bookings are expected (a ledger).")],
    right: Annotated[str, Field(description="Name of the input they are compared with (a bank statement).")],
    *,
    look: Annotated[
        Look,
        Field(description="strict: references only; normal: also amount, name and date; loose: whatever may belong."),
    ] = "normal",
    passes: Annotated[
        list[PassName] | None, Field(description="Exactly these passes instead of those of `look`.")
    ] = None,
    left_columns: _Hints | None = None,
    right_columns: _Hints | None = None,
    max_questions: Annotated[int, Field(ge=0, le=20, description="At most so many questions for a person.")] = 3,
) -> ToolResult:
    """Place every booking of two tables in one match or one break, by passes from strict to loose, to the cent.

    The result says what each pass linked, what stays open, which looser pass would find more, and what to ask people.
    """
    names = context.input_names()
    try:
        prepared = prepare(
            _read(context.input(left), names.get(left, left)),
            _read(context.input(right), names.get(right, right)),
            left_hints=left_columns,
            right_hints=right_columns,
        )
    except InputError as error:
        what = f"{error.where}: {error.what}" if error.where else error.what
        raise ToolError("unusable_input", what, hint=error.mend) from error
    chosen = passes_of(look) if passes is None else ordered(passes)
    options = MatchOptions(passes=chosen, max_questions=max_questions)
    matching = match_sides(prepared.left, prepared.right, options, prepared.assumptions)
    return ToolResult(
        summary=_summary(matching),
        data=as_data(matching),
        shown=_shown(matching),
        artifacts={"exceptions.csv": write_exceptions(matching)},
        empty=not matching.result.left.rows and not matching.result.right.rows,
    )


@tool(
    "reconcile.settle",
    effect="read",
    use_when="the matching is as good as looking makes it: apply the answers people gave, none if there were none",
    not_when="a looser look would still place more rows",
    seconds=_SECONDS,
    isolated=True,
)
def settle(
    context: ToolContext,
    match: Annotated[str, Field(description="Number of the observation of the last match, such as `E3.2`.")],
    decisions: Annotated[
        list[Decision],
        Field(
            description='What was decided: [{"question": "Q1", "choice": "accept_fee", "ticket": "…"}]; [] for none.'
        ),
    ],
) -> ToolResult:
    """Apply decisions to a matching, prove that it ties out and every row is placed once, and write the report.

    Questions without a decision stay open, their breaks provisional.
    """
    matching = settle_questions(from_data(context.observed(match), match), decisions)
    return ToolResult(
        summary=_summary(matching),
        data=as_data(matching),
        shown=_shown(matching),
        artifacts={
            "report.md": write_report(matching).encode(),
            "exceptions.csv": write_exceptions(matching),
        },
    )


def _read(path: Path, name: str) -> Grid:
    return read_table(path, name=name)


def _summary(matching: Matching) -> str:
    result, summary = matching.result, matching.summary
    kinds = ", ".join(f"{one.breaks} {one.kind}" for one in summary.by_kind) or "none"
    asked = f"; {summary.open_questions} for a person" if summary.open_questions else ""
    return (
        f"{summary.matched_left} of {result.left.rows} left and {summary.matched_right} of {result.right.rows} right "
        f"rows match; breaks: {kinds}{asked}. It ties out."
    )


def _shown(matching: Matching) -> dict[str, Any]:
    """What an agent needs to act next; the rows stand in the whole."""
    result = matching.result
    return {
        "left": result.left.model_dump(mode="json"),
        "right": result.right.model_dump(mode="json"),
        "passes": [
            {"name": one.name, "links": one.links, "doubles": one.doubles, "doubts": one.doubts}
            for one in matching.reports
        ],
        "still_open": {
            "left": matching.reports[-1].open_left if matching.reports else result.left.rows,
            "right": matching.reports[-1].open_right if matching.reports else result.right.rows,
        },
        "breaks": [one.model_dump(mode="json") for one in matching.summary.by_kind],
        "looser": [one.model_dump(mode="json") for one in matching.looser if one.would_find or one.would_ask],
        "next_look": matching.next_look,
        "questions": [
            {
                "id": question.id,
                "text": question.text,
                "choices": [{"value": choice.value, "label": choice.label} for choice in question.choices],
                "default": question.default,
            }
            for question in matching.questions
        ],
        "assumptions": list(result.assumptions),
    }
