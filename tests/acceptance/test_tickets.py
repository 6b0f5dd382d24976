"""A question that only a person can decide: the run waits with what it has, and the answer completes it."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from orchestrator.domain.identity import Scope

LEFT = [
    ["invoice", "date", "customer", "amount"],
    ["INV-1001", "2026-03-01", "Acme Tooling", "1200.50"],
    ["INV-1002", "2026-03-02", "Bolt Foods", "900.00"],
    ["INV-1003", "2026-03-03", "Crux Optics", "310.00"],
]
RIGHT = [
    ["date", "text", "payer", "amount"],
    ["2026-03-02", "INV-1001", "Acme Tooling", "1200.50"],
    ["2026-03-03", "INV-1002", "Bolt Foods", "641.27"],
    ["2026-03-04", "INV-1003", "Crux Optics", "310.00"],
]


@pytest.fixture
def tables(write_table: Callable[[str, Sequence[Sequence[str]]], Path]) -> list[str]:
    """Two tables with one large difference that nothing explains."""
    return [str(write_table("left.csv", LEFT)), str(write_table("right.csv", RIGHT))]


def files(folder: Path) -> dict[str, bytes]:
    """What stands in a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def one_line(err: str) -> str:
    """The only line of standard error."""
    (line,) = [line for line in err.splitlines() if line.strip()]
    return line


def test_waiting_and_answering(remit: Any, tables: list[str], tmp_path: Path) -> None:
    """Exit 3 with all files; a wrong answer changes nothing; the right one ends the run in the same folder, once."""
    out = tmp_path / "out"
    ended = remit("reconcile", *tables, "--out", str(out))
    assert ended.code == 3, f"{ended.err}\n{remit.logs()}"
    assert set(files(out)) == {"report.md", "exceptions.csv", "result.json"}
    waiting = json.loads((out / "result.json").read_text("utf-8"))
    (ticket,) = waiting["tickets"]
    assert (waiting["status"], ticket["status"]) == ("waiting", "open")
    assert f"remit tickets answer {ticket['id']} " in ended.out
    (provisional,) = [one for one in waiting["breaks"] if one["ticket"]]
    assert (provisional["kind"], provisional["left"], provisional["right"]) == ("amount", [2], [2])
    assert provisional["ticket"] == ticket["id"]
    assert ticket["id"] in (out / "exceptions.csv").read_text("utf-8-sig")
    report = (out / "report.md").read_text("utf-8")
    assert f"**{ticket['id']}**" in report
    assert "Q1" not in report

    (listed,) = remit("tickets", "list", "--json").json
    shown = remit("tickets", "show", ticket["id"], "--json").json
    assert listed == shown
    assert (shown["id"], shown["run_id"], shown["status"], shown["answer"]) == (
        ticket["id"],
        waiting["run"],
        "open",
        None,
    )
    assert shown["evidence"] != []
    values = [choice["value"] for choice in shown["choices"]]
    assert "not_the_same" in values
    assert shown["default"] in values
    assert ticket["id"] in remit("tickets", "list").out
    assert all(value in remit("tickets", "show", ticket["id"]).out for value in values)

    wrong = remit("tickets", "answer", ticket["id"], "perhaps")
    assert wrong.code == 2
    assert one_line(wrong.err).startswith(f"remit: {ticket['id']}: `perhaps` is none of the choices. Answer with one")
    assert remit("tickets", "show", ticket["id"], "--json").json == shown

    answered = remit("tickets", "answer", ticket["id"], "not_the_same", "--comment", "two invoices", "--json")
    assert answered.code == 0, f"{answered.err}\n{remit.logs()}"
    result = answered.json
    assert result == json.loads((out / "result.json").read_text("utf-8"))
    assert result["run"] == waiting["run"]
    assert [(one["id"], one["status"]) for one in result["tickets"]] == [(ticket["id"], "answered")]
    assert [(one["kind"], one["left"], one["right"], one["ticket"]) for one in result["breaks"]] == [
        ("missing_in_right", [2], [], ticket["id"]),
        ("missing_in_left", [], [2], ticket["id"]),
    ]
    assert ticket["id"] in (out / "report.md").read_text("utf-8")

    before = files(out)
    again = remit("tickets", "answer", ticket["id"], "accept_fee")
    assert again.code == 2
    assert one_line(again.err) == f"remit: {ticket['id']}: the ticket is already answered. Nothing was changed."
    assert files(out) == before
    assert remit("runs", "result", result["run"], "--json").json == result
    assert remit("tickets", "list").out.strip() == "No ticket is open."
    (closed,) = remit("tickets", "list", "--all", "--json").json
    assert (closed["answer"], closed["comment"], closed["status"]) == ("not_the_same", "two invoices", "answered")
    assert remit.processes() == []


def test_answering_for_later(remit: Any, tables: list[str], until: Callable[..., None]) -> None:
    """`--detach` only notes the answer; the run goes on with whatever starts workers next, once."""
    waiting = remit("reconcile", *tables, "--json").json
    (ticket,) = waiting["tickets"]
    assert remit("tickets", "answer", ticket["id"], "2", "--detach").code == 0
    assert remit.processes() == []
    with remit.up():
        refused = remit("tickets", "answer", ticket["id"], "2")
        assert refused.code == 2
        with remit.store() as store:
            until(lambda: store.run(Scope(tenant="local"), waiting["run"]).status == "done")
            (answered,) = store.tickets(None, run_id=waiting["run"])
    assert answered.answer == "accept_fee"
    ended = remit("runs", "result", waiting["run"], "--json")
    assert (ended.code, ended.json["status"]) == (0, "done")
    assert [one["ticket"] for one in ended.json["breaks"]] == [ticket["id"]]
