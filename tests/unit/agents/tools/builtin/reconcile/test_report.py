"""The report: every figure stands in the data it cites, and names from files cannot write into it."""

import json
import re
from datetime import date, timedelta
from decimal import Decimal

import pytest

from agents.tools.builtin.reconcile.data import as_data
from agents.tools.builtin.reconcile.entries import Entry, Side
from agents.tools.builtin.reconcile.markdown import amount, safe
from agents.tools.builtin.reconcile.matching import Matching, match
from agents.tools.builtin.reconcile.options import MatchOptions
from agents.tools.builtin.reconcile.questions import Decision
from agents.tools.builtin.reconcile.report import Sources, write_report
from agents.tools.builtin.reconcile.settling import settle
from orchestrator.domain import evidence


def entry(row: int, amount_: str, *references: str, day: int = 1, party: str = "Acme", currency: str = "EUR") -> Entry:
    when = date(2026, 3, 1) + timedelta(days=day)
    return Entry(row, Decimal(amount_), currency, when, references, party, f"payment {party}")


def everything() -> Matching:
    """A matching with every kind of break, a group and two questions."""
    left = [entry(row, f"{100 + row}.50", f"INV1000{row}") for row in range(1, 9)]
    right = [entry(row, f"{100 + row}.50", f"INV1000{row}", day=2) for row in range(1, 9)]
    left += [
        entry(9, "5000.00", "INV20001"),
        entry(10, "800.00", "INV20002", party="Kestrel Air"),
        entry(11, "77.00", "INV20003", party="Delmar | Foods"),
        entry(12, "77.00", "INV20003", party="Delmar | Foods"),
        entry(13, "650.00", "INV20004", currency="USD"),
        entry(14, "300.00", "INV20005", party="Ionic"),
        entry(15, "1200.00", "INV20006", party="Quarry Stone"),
        entry(16, "4100.00", "INV20007", party="Tanaka Parts"),
        entry(17, "4100.00", "INV20008", party="Tanaka Parts", day=2),
    ]
    right += [
        entry(9, "3127.40", "INV20001"),
        entry(10, "791.00", "INV20002", party="KESTREL AIR"),
        entry(11, "77.00", "INV20003", day=2, party="Delmar | Foods"),
        entry(12, "650.00", "INV20004", currency="EUR"),
        entry(13, "300.00", "INV20005", day=60, party="Ionic"),
        entry(14, "700.00", "INV20006", party="Quarry Stone"),
        entry(15, "500.00", "INV20006", party="Quarry Stone"),
        entry(16, "4100.00", day=3, party="TANAKA PA."),
        entry(17, "12.00", "INV20009", party="Nobody"),
    ]
    return match(Side("ledger.csv", tuple(left), ("Dates are day first.",)), Side("bank 2026.csv", tuple(right)))


def faults(matching: Matching, text: str) -> list[str]:
    data = {"ok": True, "summary": "", "data": json.loads(json.dumps(as_data(matching)))}
    return [str(fault) for fault in evidence.check(text, {"E5.1": data}, given="ledger.csv bank 2026.csv")]


def included(matching: Matching) -> str:
    text, missing = evidence.expand("{{E5.1/report.md}}", {"E5.1/report.md": write_report(matching)})
    assert missing == ()
    return text


def test_the_example_has_everything() -> None:
    """The matching that these tests look at has all kinds of breaks, a group and two questions."""
    matching = everything()
    kinds = {one.kind for one in matching.summary.by_kind}
    assert kinds == {"missing_in_right", "missing_in_left", "amount", "duplicate", "currency", "date"}
    assert [one.kind for one in matching.summary.by_rule] == ["match", "grouped"]
    assert len(matching.questions) == 2


def test_every_figure_stands_in_the_observation_it_cites() -> None:
    """The code that keeps figures without a source back finds nothing, cited line by line or where it is taken in."""
    matching = everything()
    assert faults(matching, write_report(matching, Sources("E5.1"))) == []
    assert faults(matching, included(matching)) == []


def test_decisions_have_their_figures_too() -> None:
    """After answers the report tells them, from the data of the settlement."""
    before = everything()
    answers = [Decision(question=one.id, choice=one.choices[0].value, ticket=f"T-{one.id}") for one in before.questions]
    matching = settle(before, answers)
    text = included(matching)
    assert "## Decided" in text
    assert "No question is open." in text
    assert faults(matching, text) == []


@pytest.mark.parametrize("digit", range(0, 60, 7))
def test_one_changed_digit_is_found(digit: int) -> None:
    """A report that says another amount than the data does not pass."""
    matching = everything()
    text = included(matching)
    amounts = [found for found in re.finditer(r"\d[\d,]*\.\d\d", text) if found[0] != "0.00"]
    chosen = amounts[digit % len(amounts)]
    changed = "9" if text[chosen.start()] != "9" else "8"
    forged = text[: chosen.start()] + changed + text[chosen.start() + 1 :]
    assert faults(matching, forged) != []


def test_lines_with_figures_name_their_source() -> None:
    """With a source, each line that holds a figure ends in it, and the sides' profiles are named."""
    text = write_report(everything(), Sources("E5.1", "E1.1", "E2.1"))
    lines = [line for line in text.splitlines() if re.search(r"\d", line)]
    assert all("[E5.1]" in line or line in ("- ledger.csv: [E1.1]", "- bank 2026.csv: [E2.1]") for line in lines)


def test_the_bridge_leads_from_one_total_to_the_other() -> None:
    """Left total less each step is the right total, in each currency."""
    for bridge in everything().summary.bridges:
        assert bridge.left_total - sum(step.difference for step in bridge.steps) == bridge.right_total
    text = write_report(everything())
    assert "| Total of ledger.csv |  | 16,494.00 |" in text
    assert "| **Total of bank 2026.csv** |  | **11,097.40** |" in text


def test_the_outcome_in_three_lines() -> None:
    """What matches, what the breaks account for, what is open."""
    assert write_report(everything()).splitlines()[2:5] == [
        "- **10 of 17** bookings in ledger.csv and **11 of 17** in bank 2026.csv match.",
        "- **9** breaks account for the whole difference between the totals, 5,396.60 EUR; 650.00 USD: it ties out to "
        "the cent, and every booking stands in exactly one place.",
        "- **2** questions are open; the breaks in question are provisional.",
    ]


def test_two_equal_sides_are_told_shortly() -> None:
    """Nothing to explain: no break, no question."""
    same = (entry(1, "5.00", "INV10001"),)
    text = write_report(match(Side("a.csv", same), Side("b.csv", same)))
    assert "- There is no break: the totals agree to the cent." in text
    assert "There are none." in text


def test_two_empty_sides_have_a_report() -> None:
    """Even nothing is reported without failing."""
    text = write_report(match(Side("a.csv", ()), Side("b.csv", ())))
    assert "Nothing matches." in text
    assert "| XXX | 0.00 | 0.00 | 0.00 |" in text


def test_many_breaks_are_told_in_full_elsewhere() -> None:
    """The largest are shown, the file has them all."""
    left = Side("a.csv", tuple(entry(row, f"{row}.00", f"INV{row + 10_000}") for row in range(1, 301)))
    text = write_report(match(left, Side("b.csv", ())))
    assert "The largest are shown; all 300 stand in `exceptions.csv`." in text
    assert text.count("| left | ") == 200
    assert "| left | 101 |" in text
    assert "| left | 100 |" not in text


def test_names_cannot_write_into_the_report() -> None:
    """Mark-up, line breaks, links and forged citations in a name stay words."""
    name = "Evil | [E9.9] **x** <b>\n# Head\x1b[31m ![a](http://x) `c` &lt;"
    text = write_report(match(Side("a.csv", (entry(1, "5.00", party=name),)), Side("b.csv", ())), Sources("E5.1"))
    assert "[E9.9]" not in text
    assert "\n# Head" not in text
    assert r"Evil \| \[E9.9\] \*\*x\*\* &lt;b&gt; \# Head\[31m \!\[a\](http://x) \`c\` &amp;lt;" in text


@pytest.mark.parametrize(
    ("value", "shown"),
    [("1234567.8", "1,234,567.80"), ("-0.05", "-0.05"), ("0", "0.00"), ("-1000", "-1,000.00"), ("3.333", "3.333")],
)
def test_amounts_as_people_read_them(value: str, shown: str) -> None:
    """Grouped, with at least two decimals, exact."""
    assert amount(Decimal(value)) == shown


def test_a_name_that_looks_like_a_list_is_a_name() -> None:
    """No name starts a list, a heading or a quote."""
    assert [safe(name) for name in ("- a", "+ b", "# c", "> d", "= e")] == [
        r"\- a",
        r"\+ b",
        r"\# c",
        "&gt; d",
        r"\= e",
    ]


def test_loose_looks_ask_and_report_possible_pairs() -> None:
    """What may belong together is asked, and its report has its figures."""
    left = Side("ledger.csv", (entry(1, "1000.00", day=1),))
    matching = match(left, Side("bank 2026.csv", (entry(1, "612.40", day=2),)), MatchOptions.of("loose"))
    assert [choice.value for choice in matching.questions[0].choices] == ["link:L1-R1", "keep_open"]
    assert faults(matching, included(matching)) == []
