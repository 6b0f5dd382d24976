"""Which column plays which role, by its name, its cells and the other table."""

import pytest

from agents.tools.builtin.reconcile.columns import Roles, find_roles, roles_from_hints
from agents.tools.builtin.tables.grid import Grid
from agents.tools.builtin.tables.reading import parse_table
from orchestrator.errors import InputError


def grid(text: str, name: str = "t.csv") -> Grid:
    """The grid of a text."""
    return parse_table(text.encode(), name)


def test_all_roles_of_a_ledger() -> None:
    """Names and cells agree."""
    found = find_roles(
        grid(
            "Belegnr.;Buchungsdatum;Fälligkeit;Kunde;Text;Netto;MwSt;Betrag;Währung\n"
            "R-1001;01.03.2026;31.03.2026;Acme;Lieferung März;100,00;19,00;119,00;EUR\n"
            "R-1002;02.03.2026;01.04.2026;Beta;Lieferung März;50,00;9,50;59,50;EUR\n"
            "R-1003;13.03.2026;12.04.2026;Acme;Nachtrag;10,00;1,90;11,90;EUR\n"
        )
    )
    assert found == Roles(
        amount="Betrag",
        date="Buchungsdatum",
        references=("Belegnr.",),
        party="Kunde",
        currency="Währung",
        texts=("Text",),
    )


def test_the_running_balance_is_not_the_amount() -> None:
    """Whatever the columns are called, a balance follows from the rows before it."""
    found = find_roles(
        grid(
            "day,x,y\n2026-03-01,1010.00,10.00\n2026-03-02,1003.50,-6.50\n2026-03-03,1100.25,96.75\n"
            "2026-03-04,1100.00,-0.25\n2026-03-05,1250.00,150.00\n"
        )
    )
    assert found.amount == "y"
    assert found.assumptions == ("`y` is taken as the amount, by what its cells look like.",)


def test_debit_and_credit_columns_are_a_pair() -> None:
    """By their names in many languages, even when one is empty; or by filling each other's gaps."""
    named = find_roles(grid("Fecha,Concepto,Debe,Haber\n2026-03-01,Acme,,10.00\n2026-03-02,Beta,,20.00\n"))
    assert (named.amount, named.debit, named.credit) == (None, "Debe", "Haber")
    guessed = find_roles(
        grid("day,who,p,q\n2026-03-01,A,10.50,\n2026-03-02,B,,20.25\n2026-03-03,A,7.10,\n2026-03-04,C,,3.30\n")
    )
    assert (guessed.debit, guessed.credit) == ("p", "q")
    assert guessed.assumptions == ("`p` is taken as the debit and `q` as the credit column.",)


def test_a_column_of_debit_and_credit_marks_gives_the_sign() -> None:
    """Soll und Haben, D and C."""
    found = find_roles(grid("Datum;Betrag;S/H\n01.03.2026;10,50;S\n02.03.2026;20,25;H\n"))
    assert (found.amount, found.sign) == ("Betrag", "S/H")
    letters = find_roles(grid("Datum;Betrag;Kategorie\n01.03.2026;10,50;A\n02.03.2026;20,25;B\n"))
    assert letters.sign is None


def test_numbers_that_name_something_are_no_amounts() -> None:
    """Document numbers, account numbers and line numbers."""
    found = find_roles(
        grid("pos,document,account,sum\n1,20260001,1200,10.50\n2,20260002,1200,20.25\n3,20260003,1400,7.00\n")
    )
    assert found.amount == "sum"
    assert found.references == ("document",)


def test_the_other_table_decides_between_two_amounts() -> None:
    """The figures that the bank knows are the ones to compare."""
    ledger = grid("ref,ordered,paid\nA-1001,10.50,9.50\nA-1002,20.25,18.25\nA-1003,30.75,28.75\n")
    bank = grid("date,text,amount\n2026-03-01,A-1001,10.50\n2026-03-02,A-1002,20.25\n2026-03-03,A-1003,30.75\n")
    assert find_roles(ledger, other=bank).amount == "ordered"
    assert find_roles(ledger).amount == "paid"


def test_the_reference_that_the_other_table_knows_comes_first() -> None:
    """Orders or invoices: what the bank's texts name."""
    ledger = grid("invoice,order,amount\nR-5001,PO-9001,10.50\nR-5002,PO-9002,20.25\nR-5003,PO-9003,7.00\n")
    bank = grid("date,text,amount\n2026-03-01,for PO-9001,10.50\n2026-03-02,for PO-9003,7.00\n")
    assert find_roles(ledger, other=bank).references == ("order", "invoice")


def test_a_reference_column_of_sentences_is_text_too() -> None:
    """The name says reference, the cells are prose with a code inside."""
    found = find_roles(
        grid("date,reference,amount\n2026-03-01,thanks for INV-1001,10.50\n2026-03-02,paying INV-1002 now,7.00\n")
    )
    assert found.references == ("reference",)
    assert found.texts == ("reference",)


def test_codes_that_name_customers_are_no_references() -> None:
    """A customer number in every third row would tie bookings that have nothing else in common."""
    rows = "".join(f"K-{100 + row % 4},2026-03-{row:02d},{row}.50\n" for row in range(1, 25))
    assert find_roles(grid("customer_no,date,amount\n" + rows)).references == ()


def test_a_column_of_nothing_but_zeros_is_not_the_amount() -> None:
    """Whatever it is called."""
    found = find_roles(grid("Date,Paid,Due\n2026-03-01,0.00,1309.30\n2026-03-02,0.00,500.00\n"))
    assert found.amount == "Due"


def test_the_gross_amount_is_what_net_and_tax_add_up_to() -> None:
    """Also where the names say nothing."""
    rows = "2026-03-01,100.00,119.00,19.00\n2026-03-02,50.00,59.50,9.50\n2026-03-03,10.00,11.90,1.90\n"
    found = find_roles(grid("d,a,b,c\n" + rows))
    assert found.amount == "b"


def test_no_amount_is_an_error_that_names_the_columns() -> None:
    """And how to say it by hand."""
    with pytest.raises(InputError) as caught:
        find_roles(grid("name,city\nAcme,Bonn\nBeta,Rome\n", "people.csv"))
    assert str(caught.value) == (
        "people.csv: no column holds amounts; the columns are `name`, `city`. "
        "Name it: amount=COLUMN, or debit=COLUMN and credit=COLUMN."
    )


def test_hints_of_a_person_come_first() -> None:
    """By name in any case, by number, several references."""
    table = grid("A,B,C,D\nx-1001,y-2001,10.50,99.50\nx-1002,y-2002,20.25,98.75\n")
    hints = roles_from_hints({"amount": "d", "reference": "B, A"}, table.header, table.name)
    found = find_roles(table, hints)
    assert (found.amount, found.references) == ("D", ("B", "A"))
    third = roles_from_hints({"amount": "3"}, table.header, table.name)
    assert find_roles(table, third).amount == "C"


@pytest.mark.parametrize(
    ("hints", "message"),
    [
        ({"amuont": "D"}, "t.csv: there is no role `amuont`. The roles are amount, debit, credit,"),
        ({"amount": "E"}, "t.csv: there is no column `E`. The columns are `A`, `B`, `C`, `D`."),
    ],
)
def test_a_hint_that_fits_nothing_is_an_error(hints: dict[str, str], message: str) -> None:
    """With the names that would."""
    with pytest.raises(InputError) as caught:
        roles_from_hints(hints, ("A", "B", "C", "D"), "t.csv")
    assert str(caught.value).startswith(message)


def test_a_hinted_amount_must_hold_numbers() -> None:
    """A column of names is no amount, whoever says so."""
    table = grid("A,B\nAcme,10.50\nBeta,20.25\n")
    with pytest.raises(InputError, match=r"t\.csv: column `A` holds no numbers \(`Acme`\)"):
        find_roles(table, roles_from_hints({"amount": "A"}, table.header, table.name))
