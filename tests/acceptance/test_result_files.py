"""What a reconciliation leaves: result.json in its exact shape, a report, exceptions that no spreadsheet runs."""

import csv
import json
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

Money = dict[Annotated[str, Field(pattern=r"^[A-Z]{3}$")], Annotated[str, Field(pattern=r"^-?\d+\.\d{2}$")]]
Row = Annotated[int, Field(ge=1)]


class Exact(BaseModel):
    """Nothing more and nothing less, and no number for a text."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Side(Exact):
    """One table."""

    name: str
    rows: int
    totals: Money


class Match(Exact):
    """Rows that belong together."""

    left: list[Row]
    right: list[Row]
    kind: Literal["match", "grouped"]
    rule: str
    difference: Money


class Break(Exact):
    """Rows that do not tie out."""

    kind: Literal["missing_in_right", "missing_in_left", "amount", "duplicate", "currency", "date"]
    left: list[Row]
    right: list[Row]
    difference: Money
    explanation: Annotated[str, Field(min_length=1)]
    ticket: str | None


class Ticket(Exact):
    """A question."""

    id: str
    question: str
    status: Literal["open", "answered", "expired", "cancelled"]


class Usage(Exact):
    """What the models used."""

    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost: str | None


class Result(Exact):
    """The content of result.json."""

    run: str
    status: Literal["done", "waiting", "failed", "limit", "cancelled"]
    left: Side
    right: Side
    matches: list[Match]
    breaks: list[Break]
    tickets: list[Ticket]
    assumptions: list[str]
    usage: Usage


PLAIN = (
    [
        ["invoice", "date", "customer", "amount", "currency"],
        ["INV-1001", "2026-03-01", "Acme Tooling", "1200.50", "EUR"],
        ["INV-1002", "2026-03-02", "Bolt Foods", "70.00", "EUR"],
        ["INV-1003", "2026-03-03", "Crux Optics", "310.00", "USD"],
        ["INV-1004", "2026-03-04", "Delta Mills", "500.00", "EUR"],
        ["INV-1005", "2026-03-05", '=HYPERLINK("http://x.example")', "44.00", "EUR"],
        ["INV-1006", "2026-03-06", "Fjord Air", "99.90", "USD"],
        ["INV-1007", "2026-03-07", "Grove Print", "15.00", "EUR"],
    ],
    [
        ["booked", "text", "payer", "amount", "currency"],
        ["2026-03-02", "INV-1001", "Acme Tooling", "1200.50", "EUR"],
        ["2026-03-03", "Payment INV-1002", "Bolt Foods", "69.99", "EUR"],
        ["2026-03-04", "INV-1003", "Crux Optics", "310.00", "USD"],
        ["2026-03-05", "INV-1004 part 1", "Delta Mills", "200.00", "EUR"],
        ["2026-03-06", "INV-1004 part 2", "Delta Mills", "300.00", "EUR"],
        ["2026-03-07", "INV-1006", "Fjord Air", "99.90", "USD"],
        ["2026-03-07", "INV-1006", "Fjord Air", "99.90", "USD"],
        ["2026-03-08", "@charges", "+bank", "12.00", "EUR"],
        ["2026-03-08", "INV-1007", "Grove Print", "15.00", "EUR"],
    ],
)
NOREF = (
    [
        ["id", "date", "customer", "amount"],
        ["INV-1001", "2026-03-01", "Acme Tooling", "1200.50"],
        ["INV-1002", "2026-03-02", "Bolt Foods", "70.00"],
        ["INV-1003", "2026-03-03", "Crux Optics", "310.00"],
        ["INV-1004", "2026-03-09", "Delta Mills", "500.00"],
    ],
    [
        ["date", "payer", "amount"],
        ["2026-03-02", "ACME TOOLING", "1200.50"],
        ["2026-03-03", "Bolt Foods", "70.00"],
        ["2026-03-05", "Crux Opt.", "310.00"],
        ["2026-03-28", "Zenith", "3.00"],
    ],
)


def total(sums: Sequence[Money]) -> dict[str, Decimal]:
    """The sum for each currency."""
    added: dict[str, Decimal] = {}
    for one in sums:
        for currency, value in one.items():
            added[currency] = added.get(currency, Decimal(0)) + Decimal(value)
    return added


def check_identity(result: Result) -> None:
    """Left total − right total is the sum of the breaks' differences, and each row stands in exactly one place."""
    totals = {**total([result.left.totals])}
    for currency, value in result.right.totals.items():
        totals[currency] = totals.get(currency, Decimal(0)) - Decimal(value)
    broken = total([one.difference for one in result.breaks])
    assert {currency: broken.get(currency, Decimal(0)) for currency in totals} == totals
    assert all(value == 0 for one in result.matches for value in map(Decimal, one.difference.values()))
    placed = [*result.matches, *result.breaks]
    assert Counter(row for one in placed for row in one.left) == Counter(range(1, result.left.rows + 1))
    assert Counter(row for one in placed for row in one.right) == Counter(range(1, result.right.rows + 1))


def of_spreadsheet(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    return list(csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines()))


def steps(remit: Any, run: str) -> list[tuple[str, str, Any]]:
    """Subtask, tool and look of each recorded call."""
    lines = [json.loads(line) for line in remit("runs", "logs", run, "--json").out.splitlines()]
    return [(one["subtask"], call["tool"], call["arguments"].get("look")) for one in lines for call in one["calls"]]


@pytest.fixture
def tables(write_table: Callable[[str, Sequence[Sequence[str]]], Path]) -> Callable[[str, Any], list[str]]:
    """Writes the two tables of a case; their paths."""

    def quoted(rows: Sequence[Sequence[str]]) -> list[list[str]]:
        return [['"' + cell.replace('"', '""') + '"' for cell in row] for row in rows]

    def write(name: str, case: Any) -> list[str]:
        return [str(write_table(f"{name}-{side}.csv", quoted(rows))) for side, rows in zip("lr", case, strict=True)]

    return write


def test_plain_and_noref(remit: Any, tables: Callable[[str, Any], list[str]], tmp_path: Path) -> None:
    """The exact shape, every row placed once, the identity, safe cells; another case takes other steps; the files are
    to be had again, byte by byte."""
    with remit.up():
        plain = remit("reconcile", *tables("plain", PLAIN), "--out", str(tmp_path / "plain"), "--json")
        noref = remit("reconcile", *tables("noref", NOREF), "--out", str(tmp_path / "noref"), "--json")
    assert (plain.code, noref.code) == (0, 0), f"{plain.err}{noref.err}\n{remit.logs()}"
    for ended, name in ((plain, "plain"), (noref, "noref")):
        assert ended.json == json.loads((tmp_path / name / "result.json").read_text("utf-8"))
        check_identity(Result.model_validate(ended.json))
        again = tmp_path / f"{name}-again"
        assert remit("runs", "result", ended.json["run"], "--out", str(again), "--quiet").code == 0
        files = {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}
        assert files == {path.name: path.read_bytes() for path in again.iterdir()}
        assert set(files) == {"report.md", "exceptions.csv", "result.json"}
    result = Result.model_validate(plain.json)
    assert (result.status, result.left.rows, result.right.rows) == ("done", 7, 9)
    assert result.left.totals == {"EUR": "1829.50", "USD": "409.90"}
    assert sorted((one.kind, one.left, one.right) for one in result.matches) == [
        ("grouped", [4], [4, 5]),
        ("match", [1], [1]),
        ("match", [3], [3]),
        ("match", [6], [6]),
        ("match", [7], [9]),
    ]
    assert sorted((one.kind, one.left, one.right, one.difference) for one in result.breaks) == [
        ("amount", [2], [2], {"EUR": "0.01"}),
        ("duplicate", [], [7], {"USD": "-99.90"}),
        ("missing_in_left", [], [8], {"EUR": "-12.00"}),
        ("missing_in_right", [5], [], {"EUR": "44.00"}),
    ]
    assert (result.usage.model, result.usage.cost, result.tickets) == ("playbook", "0", [])
    cells = [value for row in of_spreadsheet(tmp_path / "plain" / "exceptions.csv") for value in row.values()]
    assert any(cell.startswith("'=HYPERLINK") for cell in cells)
    assert [cell for cell in cells if cell.startswith(("=", "+", "@"))] == []
    looked = [steps(remit, ended.json["run"]) for ended in (plain, noref)]
    assert next(look for subtask, _, look in looked[0] if subtask == "match") == "strict"
    assert [one[2] for one in looked[0]] != [one[2] for one in looked[1]]


def test_tables_by_any_name(remit: Any, tables: Callable[[str, Any], list[str]]) -> None:
    """`remit run` takes the two tables by any name; of three, the asker says which two; with one, nothing is done."""
    left, right = tables("plain", PLAIN)
    run = ["run", "Reconcile them.", "--team", "reconcile", "--json"]
    with remit.up():
        two = remit(*run, "-i", f"ledger={left}", "-i", f"bank={right}")
        three = remit(*run, "-i", f"bank={right}", "-i", f"ledger={left}", "-i", f"old={left}")
        assert three.code == 3, f"{three.err}\n{remit.logs()}"
        named = remit("tickets", "answer", three.json["tickets"][0]["id"], "ledger against bank", "--json")
        one = remit(*run, "-i", f"bank={right}")
    for ended in (two, named):
        assert ended.code == 0, f"{ended.err}\n{remit.logs()}"
        result = Result.model_validate(ended.json)
        check_identity(result)
        assert (result.left.rows, result.right.rows) == (7, 9)
    assert (one.code, one.json["answer"]) == (
        0,
        "Nothing was reconciled: two tables are needed, given are: bank.",
    )
