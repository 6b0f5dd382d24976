"""The tools as agents call them: files in, a look, answers, files out; and what is said when something does not fit."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from agents.content import plain
from agents.errors import ToolError
from agents.isolation.addresses import address_of
from agents.tools.builtin.reconcile.tools import match, settle
from agents.tools.function import Tool, ToolResult
from orchestrator.ports.clock import Deadline

LEDGER = """invoice;date;customer;amount
INV-20260101;01.03.2026;Acme Tooling;1.200,50
INV-20260102;02.03.2026;Kestrel Air;300,00
INV-20260103;03.03.2026;Société Lumière;5.000,00
INV-20260104;04.03.2026;Delmar Foods;75,10
"""
BANK = """date,text,amount
2026-03-02,Acme Tooling INV-20260101,1200.50
2026-03-04,KESTREL AIR INV 20260102,291.00
2026-03-05,Société Lumière INV-20260103,3127.40
2026-03-09,Nobody INV-20260777,10.00
"""


@dataclass(frozen=True)
class Context:
    """A run with two input files and what was observed before."""

    folder: Path
    seen: Mapping[str, Any] = field(default_factory=dict[str, Any])
    deadline: Deadline = field(default_factory=lambda: Deadline.after(60))
    idempotency_key: str = "key"

    def input(self, name: str) -> Path:
        """The input file."""
        if name not in self.input_names():
            raise ToolError("unknown_input", f"there is no input `{name}`")
        return self.folder / name

    def input_names(self) -> Mapping[str, str]:
        """Both inputs, under the names they had."""
        return {"left": "ledger.csv", "right": "bank.csv"}

    def observed(self, ref: str) -> Any:
        """The data of an observation."""
        return self.seen[ref]

    def files(self) -> Mapping[str, int]:
        """No tool made a file."""
        return {}

    def file(self, name: str) -> Path:
        """None."""
        raise ToolError("unknown_file", name)

    def setting(self, name: str) -> str | None:
        """Nothing is set."""
        del name
        return None


@pytest.fixture
def context(tmp_path: Path) -> Context:
    """The ledger and the bank statement above."""
    (tmp_path / "left").write_text(LEDGER, encoding="utf-8")
    (tmp_path / "right").write_text(BANK, encoding="utf-8")
    return Context(tmp_path)


def called(tool: Tool, context: Context, **arguments: Any) -> ToolResult:
    result = tool.run(tool.arguments.model_validate(arguments), context)
    assert isinstance(result, ToolResult)
    return result


def test_a_look_places_every_row(context: Context) -> None:
    """One match, explained breaks, one question; the agent sees what it needs to go on."""
    result = called(match, context, left="left", right="right", look="strict")
    assert result.summary == (
        "1 of 4 left and 1 of 4 right rows match; breaks: 1 missing_in_right, 1 missing_in_left, 2 amount; 1 for a "
        "person. It ties out."
    )
    assert result.data["left"] == {"name": "ledger.csv", "rows": 4, "totals": {"XXX": "6575.60"}}
    assert [one["kind"] for one in result.data["breaks"]] == ["missing_in_right", "missing_in_left", "amount", "amount"]
    assert result.shown["next_look"] is None
    assert result.shown["questions"][0]["id"] == "Q1"
    assert set(result.artifacts) == {"exceptions.csv"}
    assert len(json.dumps(result.shown)) < 4_000


def test_a_strict_look_names_the_next_one(context: Context) -> None:
    """Without common references the strict look finds nothing and says that a normal one would."""
    (context.folder / "right").write_text(
        "date,payer,amount\n2026-03-02,Acme Tooling,1200.50\n2026-03-04,KESTREL AIR,291.00\n", encoding="utf-8"
    )
    strict = called(match, context, left="left", right="right", look="strict")
    assert (strict.data["matches"], strict.data["next_look"]) == ([], "normal")
    assert [(one["name"], one["would_find"]) for one in strict.shown["looser"]] == [
        ("amount", 1),
        ("name_difference", 1),
    ]
    normal = called(match, context, left="left", right="right", look="normal")
    assert [one["rule"] for one in normal.data["matches"]] == ["amount"]
    assert normal.data["next_look"] is None


def test_chosen_passes_are_run_and_no_others(context: Context) -> None:
    """An agent may name the passes itself; they run in their order."""
    result = called(match, context, left="left", right="right", passes=["reference_difference", "reference"])
    assert [one["name"] for one in result.shown["passes"]] == ["reference", "reference_difference"]


def test_answers_are_applied_to_what_was_observed(context: Context) -> None:
    """The settlement reads the match back from its observation, applies the answer, and writes the report."""
    looked = called(match, context, left="left", right="right")
    stored = json.loads(json.dumps(plain(looked.data)))
    after = Context(context.folder, {"E3.1": stored})
    decisions = [{"question": "Q1", "choice": "part_payment", "ticket": "T-12"}]
    settled = called(settle, after, match="E3.1", decisions=decisions)
    assert settled.data["questions"] == []
    (decided,) = [one for one in settled.data["breaks"] if one["ticket"]]
    assert (decided["ticket"], decided["left"], decided["difference"]) == ("T-12", [3], {"XXX": "1872.60"})
    report = settled.artifacts["report.md"].decode()
    assert "T-12" in report
    assert "still due: a part payment" in report
    assert settled.artifacts["exceptions.csv"].startswith(b"\xef\xbb\xbf")


def test_nothing_decided_is_a_settlement_too(context: Context) -> None:
    """With no answers the questions stay open and the report says so."""
    looked = called(match, context, left="left", right="right")
    settled = called(settle, Context(context.folder, {"E3.1": looked.data}), match="E3.1", decisions=[])
    assert [one["id"] for one in settled.data["questions"]] == ["Q1"]
    assert "## Open questions" in settled.artifacts["report.md"].decode()


def test_a_column_can_be_named(context: Context) -> None:
    """A hint names the column by its role; one that does not exist is told with those that do."""
    called(match, context, left="left", right="right", left_columns={"party": "customer"})
    with pytest.raises(ToolError) as caught:
        called(match, context, left="left", right="right", left_columns={"amount": "Betrag"})
    assert caught.value.code == "unusable_input"
    assert "ledger.csv: there is no column `Betrag`" in caught.value.what
    assert "`amount`" in (caught.value.mend or "")


def test_a_file_that_is_no_table_is_told_in_one_line(context: Context) -> None:
    """An empty file is named, with what to do."""
    (context.folder / "right").write_bytes(b"")
    with pytest.raises(ToolError) as caught:
        called(match, context, left="left", right="right")
    assert str(caught.value).startswith("bank.csv: the file is empty")


def test_the_wrong_observation_is_told(context: Context) -> None:
    """A number that is no match is refused with what to name instead."""
    with pytest.raises(ToolError, match=r"E1\.1 holds no matching"):
        called(settle, Context(context.folder, {"E1.1": {"rows": []}}), match="E1.1", decisions=[])


@pytest.mark.parametrize(("tool", "name"), [(match, "reconcile.match"), (settle, "reconcile.settle")])
def test_the_tools_only_read_and_run_apart(tool: Tool, name: str) -> None:
    """They change nothing, run in a process of their own, and can be found there."""
    assert (tool.name, tool.effect, tool.isolated) == (name, "read", True)
    assert address_of(tool).startswith("agents.tools.builtin.reconcile.tools:")
