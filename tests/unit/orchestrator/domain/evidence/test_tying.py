"""A figure that stands in the evidence is stopped where it is said of another thing than the evidence says it of."""

import pytest

from orchestrator.domain.evidence import check

INVOICES = {
    "E2.1": {
        "count": 4,
        "ranks": [12, 13],
        "invoices": [
            {"row": 12, "number": "INV-1001", "customer": "Acme GmbH", "amount": "871.40", "due": "2026-03-05"},
            {"row": 13, "number": "INV-1002", "customer": "Bolt AG", "amount": "876.40", "due": "2026-03-06"},
            {"row": 22, "number": "INV-1003", "customer": "Crux", "amount": 1250.5, "due": "2026-04-05"},
            {
                "row": 23,
                "number": "PO-77001",
                "customer": "Acme Ltd",
                "lines": [{"amount": "19.90"}, {"amount": "5.00"}],
            },
        ],
    }
}
HEAD = "| Row | Invoice | Customer | Amount | Due |\n|---|---|---|---|---|\n"


def said(*lines: str, head: str = "", texts: dict[str, str] | None = None) -> list[str]:
    """What is wrong with a report of these lines."""
    report = f"# Report\n\n{head}" + "\n".join(lines) + "\n\nSource: [E2.1]\n"
    return [fault.mend for fault in check(report, INVOICES, texts=texts or {})]


@pytest.mark.parametrize(
    "row",
    [
        "| 12 | INV-1001 | Acme GmbH | 871.40 | 2026-03-05 |",
        "| 13 | inv-1002 | Bolt AG | 876,40 | 6 March 2026 |",
        "| 22 | INV-1003 | Crux | 1,250.50 | 05.04.2026 |",
        "| 23 | PO-77001 | Acme Ltd | 19.90 | |",
        "| 12 |  | Acme GmbH | 871.40 | 2026-03-05 |",
        "| | all four | | 876.40 | 2026-03-06 |",
    ],
)
def test_what_the_record_says_is_supported(row: str) -> None:
    """In any spelling; by its number, by a name, or by nothing that a record is known by."""
    assert said(row, head=HEAD) == []


@pytest.mark.parametrize(
    ("row", "mend"),
    [
        (
            "| 12 | INV-1001 | Acme GmbH | 876.40 | 2026-03-05 |",
            "876.40 is not what E2.1 has for this; there it is 871.40.",
        ),
        ("| 12 | | Acme GmbH | 876.40 | 2026-03-05 |", "876.40 is not what E2.1 has for this; there it is 871.40."),
        ("| 13 | INV-1001 | Acme GmbH | 871.40 | 2026-03-05 |", "13 is not what E2.1 has for this; there it is 12."),
    ],
)
def test_a_value_of_another_record_is_stopped(row: str, mend: str) -> None:
    """Each of them stands in the observation."""
    assert said(row, head=HEAD) == [f"{mend} Write that, or leave it out."]


def test_sentences_are_held_against_the_record_that_they_name() -> None:
    """Each sentence by itself, several names in one sentence together."""
    right = "INV-1001 is over 871.40 and was due on 2026-03-05. INV-1002 is over 876.40."
    assert said(right) == []
    assert said("INV-1001 and INV-1002 are over 871.40 and 876.40.") == []
    assert said(right.replace("871.40", "876.40", 1)) == [
        "876.40 is not what E2.1 has for this; there it is 871.40. Write that, or leave it out."
    ]
    assert len(said(right.replace("876.40", "871.40"))) == 1


def test_what_is_said_besides_the_record_stays() -> None:
    """Ranks, counts, calculations, figures of the goal, what is like nothing in the record, and other dates of it."""
    head = "| Rank | Invoice | Amount | Of all |\n|---|---|---|---|\n"
    assert said("| 13 | INV-1001 | 871.40 | 4 |", "| 12 | INV-1002 | 876.40 | 4 |", head=head) == []
    assert said("INV-1001 and INV-1002 differ by 876.40 - 871.40 = 5.00.") == []
    assert said("INV-1001 was due on 2026-03-05 and paid on 2026-03-06.", "INV-1002 was paid on 2026-04-05.") == []
    report = "INV-1001 was to be 876.40. [E2.1]"
    assert check(report, INVOICES, given="INV-1001 over 876.40") == ()


def test_a_name_of_many_records_ties_nothing() -> None:
    """The currency of every booking says nothing about which one is meant."""
    contents = {"E2.1": [{"n": n, "currency": "EUR", "amount": f"{1000 + n}.00"} for n in range(100)]}
    assert check("| EUR | 1,017.00 |\n\n[E2.1]", contents) == ()


TEXT: str = """# Made by code

- **98 of 115** bookings in left.csv match.

| EUR | 495.67 | 484.35 | 11.32 |
| USD | 5.00 | 4.00 | 1.00 |
"""


@pytest.mark.parametrize(
    ("line", "original"),
    [
        ("- **99 of 115** bookings in left.csv match.", "98"),
        ("- **98 of 151** bookings in left.csv match.", "115"),
        ("| EUR | 495.67 | 484.35 | 12.32 |", "11"),
    ],
)
def test_a_line_of_a_tools_text_is_taken_over_as_it_is(line: str, original: str) -> None:
    """Whatever else the evidence holds: the values stand in it, as these texts are not the evidence."""
    contents = {"E2.1": {"numbers": [98, 99, 115, 151, "495.67", "484.35", "11.32", "12.32", "5.00", "4.00", "1.00"]}}
    report = f"{TEXT}\n\nSource: [E2.1]\n"
    assert check(report, contents, texts={"E2.1/report.md": TEXT}) == ()
    changed = next(one for one in TEXT.split("\n") if len(one) == len(line) and one[:5] == line[:5])
    (fault,) = check(report.replace(changed, line), contents, texts={"E2.1/report.md": TEXT})
    assert f"E2.1/report.md says {original} in this line" in fault.mend
    assert fault.line == report[: report.index(changed)].count("\n") + 1


def test_a_line_of_ones_own_is_no_changed_copy() -> None:
    """Other words, another currency's row, or a short line that only happens to have the same form."""
    contents = {"E2.1": {"numbers": [98, 99, 115, "495.67", "485.36", "10.31", "5.00", "6.00"]}}
    for line in ("- **99 of 115** bookings match in left.csv.", "| EUR | 495.67 | 485.36 | 10.31 |", "| 6.00 |"):
        text = TEXT + "| 5.00 |\n"
        assert check(f"{line}\n\nSource: [E2.1]\n", contents, texts={"E2.1/report.md": text}) == ()
