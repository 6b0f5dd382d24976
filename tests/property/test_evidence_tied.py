"""Whatever the records hold: a row that names its record is right as it is, and stopped when one digit is another."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from orchestrator.domain.evidence import check

AMOUNTS = st.integers(min_value=100_00, max_value=9_999_99).map(lambda cents: Decimal(cents) / 100)
RECORDS = st.lists(st.tuples(AMOUNTS, AMOUNTS), min_size=2, max_size=12)


@given(RECORDS, st.data())
def test_one_digit_of_a_named_row(records: list[tuple[Decimal, Decimal]], data: st.DataObject) -> None:
    """Every digit of every amount, though the observation holds every other value that it could become."""
    rows = [{"ref": f"INV-{5000 + n}", "left": f"{a:.2f}", "right": f"{b:.2f}"} for n, (a, b) in enumerate(records)]
    number = data.draw(st.integers(0, len(rows) - 1))
    column = data.draw(st.sampled_from(["left", "right"]))
    value = rows[number][column]
    place = data.draw(st.sampled_from([at for at, sign in enumerate(value) if sign.isdigit()]))
    digit = data.draw(st.sampled_from([sign for sign in "0123456789"[place == 0 :] if sign != value[place]]))
    forged = value[:place] + digit + value[place + 1 :]
    contents = {"E1.1": {"rows": rows, "others": [forged]}}
    lines = [f"| {row['ref']} | {row['left']} | {row['right']} |" for row in rows]
    head = "| Ref | Left | Right |\n|---|---|---|\n"
    assert check(head + "\n".join(lines) + "\n\nSource: [E1.1]\n", contents) == ()
    other = rows[number]["right" if column == "left" else "left"]
    if Decimal(forged) == Decimal(other):
        return  # it says the other amount of the same record twice, which a row may
    wrong = {**rows[number], column: forged}
    lines[number] = f"| {wrong['ref']} | {wrong['left']} | {wrong['right']} |"
    faults = check(head + "\n".join(lines) + "\n\nSource: [E1.1]\n", contents)
    expected = [] if Decimal(value) == Decimal(other) else [3 + number]
    assert [fault.line for fault in faults] == expected
