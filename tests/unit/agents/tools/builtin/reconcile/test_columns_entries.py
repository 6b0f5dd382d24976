"""From rows to entries: amounts, currencies, dates, references and what was assumed."""

from datetime import date
from decimal import Decimal

from agents.tools.builtin.reconcile.columns import entries, find_roles
from agents.tools.builtin.reconcile.entries import Side
from agents.tools.builtin.tables.reading import parse_table


def side(text: str, near: tuple[date, date] | None = None) -> Side:
    """The side that a table alone gives."""
    grid = parse_table(text.encode(), "t.csv")
    return entries(grid, find_roles(grid), "t.csv", near=near)


def amounts(found: Side) -> list[str]:
    """The amounts as text."""
    return [str(entry.amount) for entry in found.entries]


def test_credit_is_plus_and_debit_is_minus() -> None:
    """Also where the bank prints debits with a minus of their own."""
    assert amounts(side("date,debit,credit\n2026-03-01,5.00,\n2026-03-02,,7.00\n2026-03-03,1.00,3.00\n")) == [
        "-5.00",
        "7.00",
        "2.00",
    ]
    assert amounts(side("date,debit,credit\n2026-03-01,-5.00,\n2026-03-02,,7.00\n")) == ["-5.00", "7.00"]


def test_marks_of_debit_and_credit_give_the_sign() -> None:
    """And it is said which counts as minus."""
    found = side("Datum;Betrag;S/H\n01.03.2026;10,50;S\n02.03.2026;20,25;H\n")
    assert amounts(found) == ["-10.50", "20.25"]
    assert found.assumptions == ("Column `S/H` marks debits (counted as minus) and credits (plus).",)


def test_rows_without_a_readable_amount_count_as_nothing_and_are_told() -> None:
    """No row is dropped: the numbering must hold."""
    rows = "".join(f"A-{1000 + row},2026-03-01,{row}.50\n" for row in range(20))
    found = side("ref,date,amount\n" + rows + "A-2000,2026-03-02,\nA-2001,2026-03-02,pending\n")
    assert [entry.row for entry in found.entries] == list(range(1, 23))
    assert amounts(found)[-2:] == ["0", "0"]
    assert found.assumptions == (
        "Row 22: `pending` in column `amount` is no number.",
        "2 rows (21, 22) have no amount; counted as 0.",
    )


def test_the_currency_of_a_row_is_its_cell_its_sign_its_columns_or_the_files() -> None:
    """From the nearest to the farthest; a file that names none stays unnamed."""
    by_cell = side("date,amount,ccy\n2026-03-01,1.50,eur\n2026-03-02,2.50,€\n2026-03-03,3.50,USD\n")
    assert [entry.currency for entry in by_cell.entries] == ["EUR", "EUR", "USD"]
    by_sign = side("date,amount\n2026-03-01,€1.50\n2026-03-02,$2.50\n2026-03-03,3.50 CHF\n")
    assert [entry.currency for entry in by_sign.entries] == ["EUR", "$", "CHF"]
    assert side("date,Amount (GBP)\n2026-03-01,1.50\n").totals() == {"GBP": Decimal("1.50")}
    assert side("Account 17\nCurrency: SEK\ndate,amount\n2026-03-01,1.50\n").totals() == {"SEK": Decimal("1.50")}
    assert side("date,amount\n2026-03-01,1.50\n").totals() == {"XXX": Decimal("1.50")}


def test_rows_that_name_no_currency_take_the_only_one_named() -> None:
    """And it is said; of several, none is taken."""
    one = side("date,amount,ccy\n2026-03-01,1.50,EUR\n2026-03-02,2.50,\n")
    assert one.totals() == {"EUR": Decimal("4.00")}
    assert one.assumptions == ("1 row names no currency; it counts as EUR.",)
    two = side("date,amount,ccy\n2026-03-01,1.50,EUR\n2026-03-02,2.50,\n2026-03-03,3.50,USD\n")
    assert two.totals() == {"EUR": Decimal("1.50"), "XXX": Decimal("2.50"), "USD": Decimal("3.50")}


def test_dates_that_can_be_read_in_two_ways_follow_the_other_side() -> None:
    """With what was decided and why."""
    found = side("date,amount\n03/04/2026,1.50\n", near=(date(2026, 3, 1), date(2026, 3, 31)))
    assert found.entries[0].date == date(2026, 3, 4)
    assert found.assumptions == (
        "Column `date`: `03/04/2026` is read as month-day-year: the dates then fall into the time of the other table.",
    )


def test_a_table_without_dates_and_a_date_that_cannot_be_read_are_told() -> None:
    """The entries stand without a date."""
    assert side("ref,amount\nA-1001,1.50\n").assumptions == ("No column holds dates.",)
    rows = "".join(f"2026-03-{day:02d},{day}.50\n" for day in range(1, 20))
    found = side("date,amount\n" + rows + "soon,1.00\n")
    assert found.entries[-1].date is None
    assert found.assumptions == ("1 dates in column `date` cannot be read (rows 20).",)


def test_references_come_from_all_columns_and_text_stays_whole() -> None:
    """The reference column first, then what the text names."""
    found = side(
        "date,order,text,amount\n2026-03-01,PO-9001,two of INV-1001 and INV-1002,1.50\n2026-03-02,PO-9002,rest,2.50\n"
    )
    assert found.entries[0].references == ("PO9001", "INV1001", "INV1002")
    assert found.entries[0].text == "two of INV-1001 and INV-1002"
    assert found.entries[1].references == ("PO9002",)


def test_the_party_is_looked_for_in_the_text_and_not_in_kinds_and_states() -> None:
    """Columns with the same few words in every row tell nothing of who it was."""
    found = side(
        "Type,Started Date,Description,Amount,State\n"
        "TOPUP,2026-03-01,Payment from Acme Tooling,2300.34,COMPLETED\n"
        "CARD_PAYMENT,2026-03-02,Quarry Stone,-20.10,COMPLETED\n"
        "TRANSFER,2026-03-05,To Cedar & Sons,-100.00,COMPLETED\n"
    )
    assert [entry.party for entry in found.entries] == ["Acme Tooling", "Quarry Stone", "Cedar & Sons"]
    assert found.entries[0].text == "TOPUP Payment from Acme Tooling COMPLETED"


def test_balances_carried_on_a_statement_are_no_bookings() -> None:
    """They have a date and a balance, but nothing was paid."""
    found = side(
        'Date,Transaction details,Deposit,Withdrawal,Balance\n1 Mar 2026,B/F BALANCE,,,"10,000.00"\n'
        '2 Mar 2026,ACME INV20260001,"2,300.34",,"12,300.34"\n'
        '5 Mar 2026,ATM WITHDRAWAL,,"1,000.00","11,300.34"\n31 Mar 2026,C/F BALANCE,,,"11,300.34"\n'
    )
    assert amounts(found) == ["2300.34", "-1000.00"]
    assert found.assumptions == ()
