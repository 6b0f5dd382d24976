"""Limits on the command line: a run stops at one or asks, and what cannot be a limit is said in one line."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from orchestrator.domain.identity import Scope

LEFT = [
    ["id", "date", "customer", "amount"],
    ["A-1", "2026-03-01", "Acme", "12.50"],
    ["A-2", "2026-03-02", "Bo", "7.00"],
]


@pytest.fixture
def tables(write_table: Callable[..., Path]) -> tuple[str, str]:
    """Two tables that are alike."""
    return str(write_table("left.csv", LEFT)), str(write_table("right.csv", LEFT))


def test_a_run_stops_at_its_limit_or_asks(remit: Any, tables: tuple[str, str]) -> None:
    """Exit code and reason say so; the answer to the question lets it go on to its end."""
    with remit.up():
        stopped = remit("reconcile", *tables, "--max-steps", "2", "--json")
        assert (stopped.code, stopped.json["status"]) == (4, "limit")
        asking = remit("reconcile", *tables, "--max-steps", "2", "--max-cost", "0.01", "--on-limit", "ask", "--json")
        assert (asking.code, asking.json["status"]) == (3, "waiting")
        (ticket,) = asking.json["tickets"]
        assert "The limit of the run of 2 steps is reached" in ticket["question"]
        result = asking.json
        for _ in range(5):
            answered = remit("tickets", "answer", ticket["id"], "more")
            assert answered.code in {0, 3}, answered.err
            result = remit("runs", "result", asking.json["run"], "--json").json
            (ticket, *_) = [one for one in result["tickets"] if one["status"] == "open"] or [None]
            if ticket is None:
                break
        assert result["status"] == "done"
        assert result["usage"]["cost"] == "0"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--max-cost", "cheap"], "--max-cost: `cheap` is no limit that can be kept"),
        (["--max-cost", "0"], "--max-cost: `0` is no limit that can be kept"),
        (["--max-cost", "nan"], "--max-cost: `nan` is no limit that can be kept"),
        (["--max-cost", "2.50 EUR"], "--max-cost: `2.50 EUR` is no limit that can be kept. Write US dollars, more"),
        (["--max-cost", "1000001 usd"], "`1000001 usd` is no limit that can be kept. Write US dollars, more than"),
        (["--max-tokens", "99999999999999999"], "--max-tokens: `99999999999999999` is no limit that can be kept"),
    ],
)
def test_what_is_no_limit_is_said(remit: Any, tables: tuple[str, str], arguments: list[str], said: str) -> None:
    """In one line, exit code 2, and no run is opened."""
    ended = remit("reconcile", *tables, *arguments)
    (line,) = [line for line in ended.err.splitlines() if line.strip()]
    assert ended.code == 2
    assert said in line
    assert not (remit.home / "remit.db").exists()


def test_the_installations_budget_holds_for_all_runs(remit: Any, tables: tuple[str, str]) -> None:
    """It is named with its month when it is used up; a mistake in it is one line."""
    bad = remit("reconcile", *tables, REMIT_BUDGET_MONTH="ten dollars")
    assert (bad.code, bad.err.count("\n")) == (2, 1)
    assert "REMIT_BUDGET_MONTH: `ten dollars` is no amount" in bad.err
    with remit.up():
        ended = remit("reconcile", *tables, "--json", REMIT_BUDGET_MONTH="1 step")
        assert (ended.code, ended.json["status"]) == (4, "limit")
        shown = remit("runs", "show", ended.json["run"])
        assert "The limit of the installation for" in shown.out


def test_a_detached_run_is_batch_work_and_is_done_too(
    remit: Any, tables: tuple[str, str], until: Callable[..., None]
) -> None:
    """A real worker reads its queue; nobody waits for it, unless that is said; caps leave nothing behind."""
    with remit.up() as up:
        runs = [
            remit("reconcile", *tables, "--detach", *more).out.strip()
            for more in (["--parallel", "1"], ["--priority", "interactive"])
        ]
        with remit.store() as store:
            scope = Scope(tenant="local")
            assert [store.run(scope, run).rules.priority < 0 for run in runs] == [True, False]
            until(lambda: all(store.run(scope, run).status == "done" for run in runs), up)
            assert store.next_in_line(10) == []
