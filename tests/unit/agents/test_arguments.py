"""Wrong calls are answered argument by argument: what was sent, what is wanted, how a right call looks."""

import json
from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from agents.arguments import checked, read_otherwise
from agents.errors import ToolError
from agents.tools.function import ToolResult, tool
from orchestrator.domain.finding import ObservationRef
from orchestrator.domain.step import StepCall


class Filter(BaseModel):
    """One condition."""

    column: str
    least: Decimal | None = None


@tool("tables.rows", effect="read", use_when="rows are wanted", not_when="a summary will do")
def rows(
    table: Annotated[str, Field(description="Name of the table.", examples=["ledger"])],
    limit: Annotated[int, Field(ge=1, le=100)] = 10,
    order: Annotated[Literal["up", "down"], Field(json_schema_extra={"aliases": {"abwärts": "down"}})] = "up",
    filters: tuple[Filter, ...] = (),
    share: float = 1.0,
    columns: tuple[str, ...] = (),
    since: date | None = None,
    whole: bool = False,
) -> ToolResult:
    """Return rows of a table."""
    return ToolResult(f"{table} {limit} {order} {filters} {share}")


def fault(arguments: dict[str, Any], malformed: str | None = None) -> ToolError:
    """How a wrong call is answered."""
    with pytest.raises(ToolError) as caught:
        checked(rows, StepCall(id="c1.0", tool="tables.rows", arguments=arguments, malformed=malformed))
    assert caught.value.code == "invalid_arguments"
    assert not caught.value.retryable
    return caught.value


def test_takes_what_can_be_read_without_doubt() -> None:
    """Numbers as texts are numbers; a list sent as JSON in a text is a list."""
    arguments = {"table": "left", "limit": "5", "filters": '[{"column": "amount", "least": "0.10"}]'}
    taken = checked(rows, StepCall(id="c1.0", tool="tables.rows", arguments=arguments)).model_dump()
    assert taken["limit"] == 5
    assert taken["filters"] == ({"column": "amount", "least": Decimal("0.10")},)


@pytest.mark.parametrize(
    ("sent", "name", "read", "told"),
    [
        ({"limit": "5"}, "limit", 5, '`limit`: you sent "5"; it was read as 5.'),
        ({"limit": None}, "limit", 10, "`limit`: you sent null; it was left out."),
        ({"order": "UP"}, "order", "up", '`order`: you sent "UP"; it was read as "up".'),
        ({"order": "abwärts"}, "order", "down", '`order`: you sent "abwärts"; it was read as "down".'),
        ({"table": 7}, "table", "7", '`table`: you sent 7; it was read as "7".'),
        ({"whole": "yes"}, "whole", True, '`whole`: you sent "yes"; it was read as true.'),
        ({"whole": 1}, "whole", True, "`whole`: you sent 1; it was read as true."),
        ({"columns": "a, b"}, "columns", ("a", "b"), '`columns`: you sent "a, b"; it was read as ["a", "b"].'),
        ({"since": "2024年11月20日"}, "since", date(2024, 11, 20), 'it was read as "2024-11-20".'),
        ({"since": "20.11.2024"}, "since", date(2024, 11, 20), 'it was read as "2024-11-20".'),
        (
            {"filters": '[{"column": "amount", "least": "0.10"}]'},
            "filters",
            (Filter(column="amount", least=Decimal("0.10")),),
            'it was read as [{"column": "amount", "least": "0.10"}].',
        ),
    ],
)
def test_notes_what_was_sent_otherwise(sent: dict[str, Any], name: str, read: object, told: str) -> None:
    """What is read from another spelling is told argument by argument."""
    call = StepCall(id="c1.0", tool="tables.rows", arguments={"table": "left", **sent})
    assert getattr(checked(rows, call), name) == read
    (note,) = read_otherwise(rows, call)
    assert note.endswith(told)


@tool("figures.of", effect="read", use_when="figures are wanted", not_when="there are none")
def figures(ref: ObservationRef) -> ToolResult:
    """Return figures."""
    return ToolResult(ref)


@pytest.mark.parametrize(("sent", "read"), [("[E2.1]", "E2.1"), (" e2.1 ", "E2.1"), ("[ e12.30 ]", "E12.30")])
def test_references_as_an_answer_cites_them(sent: str, read: str) -> None:
    """In brackets or with a small letter, which is told."""
    call = StepCall(id="c1.0", tool="figures.of", arguments={"ref": sent})
    assert checked(figures, call).model_dump() == {"ref": read}
    assert read_otherwise(figures, call) == (f'`ref`: you sent "{sent}"; it was read as "{read}".',)


@pytest.mark.parametrize("ref", ["2.1", "E2", "E2.1, E2.2", "[E2.1", "E2.1]", "[[E2.1]]", "E2.1.3", "E２.1x", ""])
def test_what_is_no_single_reference(ref: str) -> None:
    """It is told back."""
    with pytest.raises(ToolError, match="`ref`"):
        checked(figures, StepCall(id="c1.0", tool="figures.of", arguments={"ref": ref}))


@pytest.mark.parametrize(
    "sent",
    [
        {"limit": 5, "order": "down", "share": 1, "whole": True},
        {"filters": [{"column": "a", "least": 0.1}], "since": "2024-11-20", "columns": ["a,b"]},
    ],
)
def test_says_nothing_about_what_was_sent_as_it_is_taken(sent: dict[str, Any]) -> None:
    """A right call has no notes; neither has one that is refused."""
    assert read_otherwise(rows, StepCall(id="c1.0", tool="tables.rows", arguments={"table": "left", **sent})) == ()
    assert read_otherwise(rows, StepCall(id="c1.0", tool="tables.rows", arguments={"limit": "x"})) == ()


@pytest.mark.parametrize("sent", [{"since": "03/04/2024"}, {"limit": "1,5"}, {"share": "0,5"}, {"order": "sideways"}])
def test_refuses_what_can_be_read_in_two_ways(sent: dict[str, Any]) -> None:
    """A date without an order, a comma in a number, a word that is no choice: the agent is asked again."""
    assert json.dumps(next(iter(sent.values()))) in fault({"table": "left", **sent}).what


def test_says_what_was_sent_and_what_is_wanted() -> None:
    """Each wrong argument is named with its value, its type, its bounds and an example."""
    told = fault({"table": "left", "limit": 500, "order": "sideways"}).what
    assert told == (
        "tables.rows was not run. "
        "`limit`: you sent 500; input should be less than or equal to 100."
        " Wanted: a whole number ≥ 1 and ≤ 100, such as 10. "
        "`order`: you sent \"sideways\"; input should be 'up' or 'down'."
        ' Wanted: one of "up", "down", such as "up".'
    )


def test_names_what_is_missing_and_shows_a_right_call() -> None:
    """A call without its argument is answered with one that has it."""
    error = fault({})
    assert '`table` is missing. Wanted: a text (Name of the table), such as "ledger".' in error.what
    assert error.mend == 'Call tables.rows again with arguments such as {"table": "ledger"}.'


def test_says_which_arguments_there_are() -> None:
    """An argument that does not exist: the names that do, nearest first."""
    assert "`tabel` is no argument of this tool; it takes `table`, " in fault({"tabel": "x", "table": "left"}).what


def test_points_into_nested_arguments() -> None:
    """A fault inside a list is named with its place and its own type."""
    told = fault({"table": "left", "filters": [{"column": "a"}, {"least": 1}]}).what
    assert "`filters.1.column` is missing. Wanted: a text." in told


@pytest.mark.parametrize(
    ("malformed", "told"),
    [
        ("{'table': 1}", "no valid JSON"),
        ('"left"', "they were a text"),
        ("[1]", "they were a list"),
        ("null", "they were null"),
        ('{"table": "left"', "no valid JSON"),
    ],
)
def test_answers_arguments_that_are_no_object(malformed: str, told: str) -> None:
    """No JSON, JSON in JSON, a bare text, a list, null: the answer says what is wrong with them."""
    assert told in fault({}, malformed).what


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_refuses_numbers_that_are_none(number: float) -> None:
    """NaN and Infinity are refused with their path, wherever they stand."""
    told = fault({"table": "left", "share": number}).what
    assert "The number at arguments.share is NaN or Infinity" in told
    assert "arguments.filters[0].least" in fault({"table": "x", "filters": [{"column": "a", "least": number}]}).what


def test_does_not_repeat_a_very_long_value() -> None:
    """What was sent is quoted in part."""
    assert len(fault({"table": "left", "limit": "x" * 5_000}).what) < 400


def test_counts_the_faults_it_does_not_list() -> None:
    """Twenty unknown arguments do not fill the context."""
    told = fault({"table": "left", **{f"extra{number}": 1 for number in range(20)}}).what
    assert told.endswith("14 more arguments are wrong.")
