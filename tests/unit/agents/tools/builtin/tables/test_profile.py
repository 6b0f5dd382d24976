"""What an agent is told of a table."""

from agents.tools.builtin.tables.profile import profile
from agents.tools.builtin.tables.reading import parse_table

TEXT = (
    "Kontoauszug;;;\nDatum;Kunde;Betrag;Notiz\n01.03.2026;Acme;1.234,50;\n02.03.2026;Beta;-34,50;\n\n"
    "15.03.2026;Acme;offen;\n" + "16.03.2026;Beta;1,00;\n" * 9 + ";Summe;1.209,00;\n"
)


def test_a_profile_tells_each_column_with_exact_figures() -> None:
    """Kinds, spellings, counts, smallest and largest, sums as text."""
    found = profile(parse_table(TEXT.encode("utf-8"), "konto.csv"))
    assert (found.name, found.rows, found.header_line, found.encoding, found.delimiter) == (
        "konto.csv",
        12,
        2,
        "utf-8",
        ";",
    )
    assert found.skipped == {"blank": 1, "preamble": 1, "total": 1}
    day, party, amount, note = found.columns
    assert (day.kind, day.format, day.min, day.max) == (
        "date",
        "day-month-year (01.03.2026)",
        "2026-03-01",
        "2026-03-16",
    )
    assert (party.kind, party.distinct, party.examples) == ("text", 2, ("Acme", "Beta"))
    assert (amount.kind, amount.format) == ("number", "1.234,56")
    assert (amount.min, amount.max, amount.sum) == ("-34.50", "1234.50", "1209.00")
    assert (amount.filled, amount.blanks, amount.unreadable) == (12, 0, 1)
    assert (note.kind, note.blanks, note.format) == ("empty", 12, None)
    assert found.assumptions == ()


def test_a_profile_carries_what_was_assumed() -> None:
    """Of the file and of each column."""
    found = profile(parse_table("Kunde;Wert\nMüller;1.234\nGroß;5.678\n".encode("latin-1"), "t.csv"))
    assert found.assumptions == (
        "The file names no encoding; it was read as latin-1.",
        "Column `Wert`: `1.234` is read with `.` between thousands (nothing in the column decides it).",
    )


def test_a_profile_is_json() -> None:
    """It goes into observations as it is."""
    found = profile(parse_table(TEXT.encode(), "konto.csv"))
    assert type(found).model_validate_json(found.model_dump_json()) == found
