"""The eight kinds of month end, small and made here: roles, rows, totals, references and parties come out exactly."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import pytest

from agents.tools.builtin.reconcile.columns import Prepared, prepare
from agents.tools.builtin.tables.reading import parse_table

Totals = dict[str, str]


@dataclass(frozen=True, slots=True)
class MonthEnd:
    """Two files of one kind, and what must come out of them."""

    kind: str
    left: bytes
    right: bytes
    left_totals: Totals
    right_totals: Totals
    references: Sequence[str]
    """The first reference of each left row."""
    shared: int
    """How many left rows name a reference that the right side names too."""
    parties: Sequence[str]
    """The parties of the right side."""


def _lines(*lines: str, end: str = "\n") -> str:
    return end.join(lines) + end


def _wide(text: str) -> str:
    return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text)


PLAIN = MonthEnd(
    "plain",
    _lines(
        "invoice_no,date,customer,amount,currency",
        "INV-7001,2026-03-01,Acme Tooling,8690.61,EUR",
        "INV-7002,2026-03-01,Møller Frø,41.2,EUR",
        "INV-7003,2026-03-02,Société Lumière,1500,EUR",
    ).encode(),
    _lines(
        "booking_date,reference,payer,amount,currency",
        "2026-03-03,INV-7001,Acme Tooling,8690.61,EUR",
        "2026-03-04,INV-7003,Société Lumière,1500.10,EUR",
    ).encode(),
    {"EUR": "10231.81"},
    {"EUR": "10190.71"},
    ("INV7001", "INV7002", "INV7003"),
    2,
    ("Acme Tooling", "Société Lumière"),
)
EUROPEAN = MonthEnd(
    "european",
    _lines(
        "Rechnung;Datum;Kunde;Betrag",
        "INV-70010001;01.03.2026;Acme Tooling;3.954,84",
        "INV-70010002;02.03.2026;Piñata Events;459,27",
        "INV-70010003;03.03.2026;Grünwald GmbH;1.000,00",
        "INV-70010004;04.03.2026;Quarry Stone;8.519,00",
        end="\r\n",
    ).encode("latin-1"),
    _lines(
        "Buchungstag;Verwendungszweck;Auftraggeber;Betrag",
        "02.03.26;Zahlung INV70010001 danke;Acme To.;3.954,84",
        "04.03.26;Zahlung RE: INV-70010002 danke;Piñata Events;450,27",
        "05.03.26;Zahlung Inv.no 70010003 danke;GRÜNWALD GMBH;1.000,00",
        "05.03.26;Zahlung inv 70010004 danke;Quarry Stone;8.519,00",
        "05.03.26;Zahlung inv 70010004 danke;Quarry Stone;8.519,00",
        end="\r\n",
    ).encode("latin-1"),
    {"XXX": "13933.11"},
    {"XXX": "22443.11"},
    ("INV70010001", "INV70010002", "INV70010003", "INV70010004"),
    4,
    ("Acme To.", "Piñata Events", "GRÜNWALD GMBH", "Quarry Stone", "Quarry Stone"),
)
ACCOUNTING = MonthEnd(
    "accounting",
    (
        "\ufeff"
        + _lines(
            "Doc,Posting Date,Description,Amount",
            'INV-70010001,03/01/2026,Acme Tooling - services,"$2,300.34"',
            "",
            'INV-70010002,03/05/2026,Cedar & Sons - services,"$1,436.69"',
            "INV-70010003,03/05/2026,Delmar Foods - services,$85.87",
            "",
            'INV-70010004,03/28/2026,Kestrel Air - services,"$5,024.89"',
            "INV-70010005,03/30/2026,Quarry Stone - services,$10.00",
            ',,TOTAL,"$8,857.79"',
            end="\r\n",
        )
    ).encode(),
    _lines(
        "Account statement,,,",
        "Period,March 2026,,",
        "Date,Details,Debit,Credit",
        '02-Mar-2026,FROM Acme Tooling REF INV-70010001,,"2,300.34"',
        '06-Mar-2026,FROM Cedar & Sons REF INV-70010002,,"1,000.00"',
        "07-Mar-2026,FROM Cedar & Sons REF INV-70010002,,436.69",
        "08-Mar-2026,FROM Delmar Foods REF INV-70010003,,85.87",
        "09-Mar-2026,FROM Kestrel Air REF INV-70019999,,17.00",
    ).encode(),
    {"USD": "8857.79"},
    {"USD": "3839.90"},
    ("INV70010001", "INV70010002", "INV70010003", "INV70010004", "INV70010005"),
    3,
    ("Acme Tooling", "Cedar & Sons", "Cedar & Sons", "Delmar Foods", "Kestrel Air"),
)
BATCHES = MonthEnd(
    "batches",
    _lines(
        "invoice,invoice_date,debtor,gross",
        "INV-70010001,2026-03-01,Kestrel Air,1309.3",
        "INV-70010002,2026-03-01,Kestrel Air,100.7",
        "INV-70010003,2026-03-02,Cedar & Sons,500",
    ).encode(),
    _lines(
        "value_date,text,amount",
        '2026-03-04,"Kestrel Air / INV-70010001, INV-70010002",1410',
        "2026-03-05,Cedar & Sons / INV-70010003,200.50",
        "2026-03-06,Cedar & Sons / INV-70010003,299.50",
    ).encode(),
    {"XXX": "1910.0"},
    {"XXX": "1910.00"},
    ("INV70010001", "INV70010002", "INV70010003"),
    3,
    ("Kestrel Air", "Cedar & Sons", "Cedar & Sons"),
)
CURRENCIES = MonthEnd(
    "currencies",
    _lines(
        "voucher,date,party,currency,amount",
        "INV-70010001,2026-03-01,Acme Tooling,EUR,250.02",
        "INV-70010002,2026-03-01,Møller Frø,USD,10",
        "INV-70010003,2026-03-02,Tanaka Parts,CHF,7.5",
    ).encode(),
    _lines(
        "date,description,ccy,value",
        "2026-03-02,Acme Tooling INV-70010001,eur,250.02",
        "2026-04-28,Møller Frø INV-70010002,chf,10.00",
        "2026-03-03,Tanaka Parts INV-70010003,chf,7.50",
    ).encode(),
    {"EUR": "250.02", "USD": "10", "CHF": "7.5"},
    {"EUR": "250.02", "CHF": "17.50"},
    ("INV70010001", "INV70010002", "INV70010003"),
    3,
    ("Acme Tooling", "Møller Frø", "Tanaka Parts"),
)
CHINESE = MonthEnd(
    "chinese",
    _lines(
        "发票号,日期,客户,金额（元）",
        f"INV-70010001,2026年3月1日,南京紫金医药,{_wide('3,072.54')}",
        f"INV-70010002,2026年3月5日,广州南粤食品,{_wide('549.31')}",
        end="\r\n",
    ).encode("gb18030"),
    _lines(
        "交易日,摘要,对方户名,收入金额",
        f'2026/03/02,货款 {_wide("INV-70010002")},广州南粤食品,"¥1,549.31"',
        f'2026/03/03,货款 {_wide("INV-70010001")},南京紫金医药,"¥3,072.54"',
        end="\r\n",
    ).encode("gb18030"),
    {"CNY": "3621.85"},
    {"CNY": "4621.85"},
    ("INV70010001", "INV70010002"),
    2,
    ("广州南粤食品", "南京紫金医药"),
)
SIGNS = MonthEnd(
    "signs",
    _lines(
        "ref,date,party,amount",
        "INV-70010001,2026-03-01T00:00:00Z,Acme Tooling,-362.01",
        "INV-70010002,2026-03-01T00:00:00Z,Møller Frø,-32.64",
        "INV-70010003,2026-03-02T00:00:00Z,Acme Tooling,-8539.28",
        "INV-70010004,2026-03-03T00:00:00Z,Delmar Foods,12.00",
    ).encode(),
    _lines(
        "ref\tdate\tparty\tamount",
        "inv-70010002\t2026-03-02\tMøller Frø\t32.64",
        "inv-70010001\t2026-03-02\tAcme Tooling\t362.01",
        "inv-70010004\t2026-03-05\tDelmar Foods\t-12",
        "inv-70010003\t2026-03-05\tAcme Tooling\t8539.2",
    ).encode(),
    {"XXX": "8921.93"},
    {"XXX": "8921.85"},
    ("INV70010001", "INV70010002", "INV70010003", "INV70010004"),
    4,
    ("Møller Frø", "Acme Tooling", "Delmar Foods", "Acme Tooling"),
)
NOREF = MonthEnd(
    "noref",
    _lines(
        "id,date,customer,amount",
        "INV-70010001,2026-03-01,Acme Tooling,371.05",
        "INV-70010002,2026-03-02,Jasper Textiles,7806.18",
    ).encode(),
    _lines("date,payer,amount", "2026-03-03,ACME TOOLING,371.05", "2026-03-04,Jasper Te.,7806.18").encode(),
    {"XXX": "8177.23"},
    {"XXX": "8177.23"},
    ("INV70010001", "INV70010002"),
    0,
    ("ACME TOOLING", "Jasper Te."),
)
ALL = (PLAIN, EUROPEAN, ACCOUNTING, BATCHES, CURRENCIES, CHINESE, SIGNS, NOREF)


def _prepared(case: MonthEnd) -> Prepared:
    return prepare(parse_table(case.left, "left.csv"), parse_table(case.right, "right.csv"))


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.kind)
def test_rows_and_totals_are_exact(case: MonthEnd) -> None:
    """Every row is an entry, numbered from 1; the sums per currency are right to the last digit."""
    found = _prepared(case)
    assert [entry.row for entry in found.left.entries] == list(range(1, len(case.references) + 1))
    assert [entry.row for entry in found.right.entries] == list(range(1, len(case.parties) + 1))
    assert found.left.totals() == {name: Decimal(value) for name, value in case.left_totals.items()}
    assert found.right.totals() == {name: Decimal(value) for name, value in case.right_totals.items()}


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.kind)
def test_references_and_parties_are_found(case: MonthEnd) -> None:
    """In columns of their own or inside free text, in any spelling."""
    found = _prepared(case)
    assert tuple(entry.references[0] for entry in found.left.entries) == tuple(case.references)
    theirs = {reference for entry in found.right.entries for reference in entry.references}
    assert sum(1 for entry in found.left.entries if not theirs.isdisjoint(entry.references)) == case.shared
    assert tuple(entry.party for entry in found.right.entries) == tuple(case.parties)
    assert all(entry.date is not None and entry.date.year == 2026 for entry in found.right.entries)
    assert {entry.date.month for entry in found.left.entries if entry.date} == {3}


def test_what_was_assumed_is_said() -> None:
    """Encodings, opposite signs and currencies, each with the file it is about."""
    assert _prepared(SIGNS).assumptions == (
        "`left.csv` counts with the opposite sign of `right.csv` (3 equal amounts show it). "
        "Its amounts are turned to the right side's sign.",
    )
    assert _prepared(ACCOUNTING).assumptions == (
        "`$` in `left.csv` is taken as USD.",
        "`right.csv` names no currency; its amounts count as USD, like those of `left.csv`.",
    )
    assert _prepared(EUROPEAN).assumptions == (
        "Left (left.csv): The file names no encoding; it was read as latin-1.",
        "Right (right.csv): The file names no encoding; it was read as latin-1.",
    )
    assert _prepared(PLAIN).assumptions == ()
