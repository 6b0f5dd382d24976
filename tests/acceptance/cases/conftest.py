"""Makes month ends with their truth: a ledger and a bank statement of one of many kinds, from a seed."""

import random
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Literal

import pytest

Fate = Literal[
    "paid",
    "late",
    "unpaid",
    "unbooked",
    "fee",
    "cent",
    "dime",
    "swapped",
    "card",
    "split",
    "batch",
    "double",
    "currency",
]

WESTERN = [
    "Acme Tooling",
    "Brightwater Ltd",
    "Cedar & Sons",
    "Delmar Foods",
    "Eastgate Print",
    "Fjord Shipping",
    "Grünwald GmbH",
    "Haldane Optics",
    "Ionic Supply",
    "Jasper Textiles",
    "Kestrel Air",
    "Lindqvist AB",
    "Møller Frø",
    "Northfield Dairy",
    "Oakhurst Mills",
    "Piñata Events",
    "Quarry Stone",
    "Riverside Clinic",
    "Société Lumière",
    "Tanaka Parts",
]
CHINESE = [
    "上海晨光贸易",
    "北京云帆科技",
    "深圳华创电子",
    "广州南粤食品",
    "成都锦江物流",
    "杭州西湖纺织",
    "南京紫金医药",
    "武汉长江机械",
]

AMOUNTS = {"fee", "cent", "dime", "swapped", "card"}


@dataclass(frozen=True, slots=True)
class Booking:
    """One row of a file before it is written; `key` names it in the truth."""

    key: int
    reference: str
    day: date
    party: str
    amount: Decimal
    currency: str


@dataclass(frozen=True, slots=True)
class Placed:
    """A match or a break of the truth, as row numbers; `twin` is the equal row of a double."""

    kind: str
    left: tuple[int, ...]
    right: tuple[int, ...]
    twin: int | None = None


@dataclass(frozen=True, slots=True)
class MonthEnd:
    """Two files and what is true of them."""

    left: Path
    right: Path
    rows: tuple[int, int]
    totals: tuple[Decimal, Decimal]
    matches: tuple[Placed, ...]
    breaks: tuple[Placed, ...]


@dataclass(frozen=True, slots=True)
class Kind:
    """How a kind of month end differs from others: what befalls its bookings and how its files are written."""

    fates: dict[Fate, int]
    write: "Callable[[list[Booking], list[Booking], Path, random.Random], None]"
    parties: list[str] = field(default_factory=lambda: WESTERN)
    currencies: tuple[str, ...] = ("EUR",)


class Draft:
    """A month end in the making."""

    def __init__(self, kind: Kind, rng: random.Random) -> None:
        self.rng, self.kind = rng, kind
        self.left: list[Booking] = []
        self.right: list[Booking] = []
        self.told: list[tuple[str, list[Booking], list[Booking], Booking | None]] = []
        self.references = rng.sample(range(20_260_000, 20_299_999), 2000)

    def booking(self, day: date | None = None) -> Booking:
        """A fresh booking of the month."""
        day = day or date(2026, 3, 1) + timedelta(days=self.rng.randrange(30))
        amount = Decimal(self.rng.randrange(2_000, 900_000)) / 100
        reference = f"INV-{self.references.pop()}"
        currency = self.rng.choices(self.kind.currencies, weights=[5, 2, 2][: len(self.kind.currencies)])[0]
        return Booking(self.rng.getrandbits(60), reference, day, self.rng.choice(self.kind.parties), amount, currency)

    def across(self, one: Booking, amount: Decimal | None = None, days: int | None = None) -> Booking:
        """The bank's booking of a ledger booking, up to three days later."""
        lag = self.rng.randrange(4) if days is None else days
        return Booking(
            self.rng.getrandbits(60),
            one.reference,
            one.day + timedelta(days=lag),
            one.party,
            one.amount if amount is None else amount,
            one.currency,
        )

    def tell(self, kind: str, left: list[Booking], right: list[Booking], twin: Booking | None = None) -> None:
        """Add the bookings and what is true of them."""
        self.left += left
        self.right += right
        self.told.append((kind, left, right, twin))

    def befall(self, fate: Fate) -> None:
        """Let one thing happen to one fresh booking."""
        one = self.booking()
        if fate in AMOUNTS:
            off = {
                "fee": Decimal("9.00"),
                "cent": Decimal("0.01"),
                "dime": Decimal("-0.10"),
                "swapped": Decimal("-90.00"),
                "card": (one.amount * Decimal("0.015")).quantize(Decimal("0.01")) + Decimal("0.25"),
            }[fate]
            self.tell("amount", [one], [self.across(one, one.amount - off)])
        elif fate == "late":
            self.tell("date", [one], [self.across(one, days=self.rng.randrange(40, 66))])
        elif fate == "unpaid":
            self.tell("missing_in_right", [one], [])
        elif fate == "unbooked":
            self.tell("missing_in_left", [], [self.across(one)])
        elif fate == "currency":
            other = next(code for code in self.kind.currencies if code != one.currency)
            paid = self.across(one)
            wrong = Booking(paid.key, paid.reference, paid.day, paid.party, paid.amount, other)
            self.tell("currency", [one], [wrong])
        else:
            self._several(fate, one)

    def _several(self, fate: Fate, one: Booking) -> None:
        if fate == "split":
            part = (one.amount * self.rng.choice([Decimal("0.4"), Decimal("0.6")])).quantize(Decimal("0.01"))
            self.tell("grouped", [one], [self.across(one, part), self.across(one, one.amount - part)])
        elif fate == "batch":
            rest = [self.booking(one.day + timedelta(days=at)) for at in range(1, self.rng.randrange(2, 4))]
            parts = [one, *(self._like(one, other) for other in rest)]
            paid = self.across(parts[-1], sum((part.amount for part in parts), Decimal(0)))
            named = ", ".join(part.reference for part in reversed(parts))
            payment = Booking(paid.key, named, paid.day, paid.party, paid.amount, paid.currency)
            self.tell("grouped", parts, [payment])
        elif fate == "double":
            paid = self.across(one)
            self.tell("match", [one], [paid])
            again = one if self.rng.random() < 0.6 else paid
            twin = Booking(
                self.rng.getrandbits(60),
                again.reference,
                again.day + timedelta(days=self.rng.randrange(2)),
                again.party,
                again.amount,
                again.currency,
            )
            self.tell("duplicate", *(([twin], []) if again is one else ([], [twin])), twin=again)
        else:
            self.tell("match", [one], [self.across(one)])

    @staticmethod
    def _like(one: Booking, other: Booking) -> Booking:
        return Booking(other.key, other.reference, other.day, one.party, other.amount, one.currency)


def german(amount: Decimal) -> str:
    """`8.123,45`"""
    return f"{amount:,.2f}".translate(str.maketrans(",.", ".,"))


def short(amount: Decimal) -> str:
    """`8123.4`: as a program writes a float."""
    return f"{amount.normalize():f}"


def worn(name: str, rng: random.Random) -> str:
    """A name as banks print it: cut after some letters, in capitals, or as it is."""
    chance = rng.random()
    if chance < 0.12 and len(name) > 9:
        name = name[:9].rstrip() + "."
    return name.upper() if rng.random() < 0.15 else name


def misspelled(reference: str, rng: random.Random) -> str:
    """A reference as payers type it."""
    number = reference.removeprefix("INV-")
    forms = (f"INV{number}", f"inv {number}", f"Inv.no {number}", f"RE: {reference}")
    return rng.choice(forms) if rng.random() < 0.25 and "," not in reference else reference


def _lines(path: Path, lines: list[str], encoding: str = "utf-8") -> None:
    path.write_bytes("".join(line + "\n" for line in lines).encode(encoding))


def _quoted(cell: str) -> str:
    return f'"{cell}"' if "," in cell else cell


def plain(left: list[Booking], right: list[Booking], folder: Path, rng: random.Random) -> None:
    """Commas, ISO dates, a currency column on both sides."""
    head = "invoice_no,date,customer,amount,currency"
    rows = [f"{b.reference},{b.day},{b.party},{short(b.amount)},{b.currency}" for b in left]
    _lines(folder / "left.csv", [head, *rows])
    rows = [f"{b.day},{_quoted(b.reference)},{b.party},{b.amount:.2f},{b.currency}" for b in right]
    _lines(folder / "right.csv", ["booking_date,reference,payer,amount,currency", *rows])


def european(left: list[Booking], right: list[Booking], folder: Path, rng: random.Random) -> None:
    """Semicolons, Latin-1, decimal commas, two-digit years, the reference inside a sentence."""
    rows = [f"{b.reference};{b.day:%d.%m.%Y};{b.party};{german(b.amount)}" for b in left]
    _lines(folder / "left.csv", ["Rechnung;Datum;Kunde;Betrag", *rows], "latin-1")
    rows = [
        f"{b.day:%d.%m.%y};Zahlung {misspelled(b.reference, rng)} danke;{worn(b.party, rng)};{german(b.amount)}"
        for b in right
    ]
    _lines(folder / "right.csv", ["Buchungstag;Verwendungszweck;Auftraggeber;Betrag", *rows], "latin-1")


def accounting(left: list[Booking], right: list[Booking], folder: Path, rng: random.Random) -> None:
    """Dollar signs, month first, a total row, blank lines; a preamble and debit and credit columns across."""
    rows = [f'{b.reference},{b.day:%m/%d/%Y},{b.party} - services,"${b.amount:,.2f}"' for b in left]
    rows.insert(len(rows) // 3, "")
    total = sum((b.amount for b in left), Decimal(0))
    head = "Doc,Posting Date,Description,Amount"
    _lines(folder / "left.csv", [head, *rows, f',,TOTAL,"${total:,.2f}"'], "utf-8-sig")
    rows = [f'{b.day:%d-%b-%Y},"FROM {b.party} REF {b.reference}",,"{b.amount:,.2f}"' for b in right]
    _lines(folder / "right.csv", ["Account statement,,,", "Period,March 2026,,", "Date,Details,Debit,Credit", *rows])


def batches(left: list[Booking], right: list[Booking], folder: Path, rng: random.Random) -> None:
    """One text on the bank's side with payer and references."""
    rows = [f"{b.reference},{b.day},{b.party},{short(b.amount)}" for b in left]
    _lines(folder / "left.csv", ["invoice,invoice_date,debtor,gross", *rows])
    rows = [f"{b.day},{_quoted(f'{b.party} / {b.reference}')},{short(b.amount)}" for b in right]
    _lines(folder / "right.csv", ["value_date,text,amount", *rows])


def noref(left: list[Booking], right: list[Booking], folder: Path, rng: random.Random) -> None:
    """The bank knows no reference and wears down the names."""
    rows = [f"{b.reference},{b.day},{b.party},{short(b.amount)}" for b in left]
    _lines(folder / "left.csv", ["id,date,customer,amount", *rows])
    rows = [f"{b.day},{worn(b.party, rng)},{short(b.amount)}" for b in right]
    _lines(folder / "right.csv", ["date,payer,amount", *rows])


def currencies(left: list[Booking], right: list[Booking], folder: Path, rng: random.Random) -> None:
    """Several currencies, in capitals here and small there; names cut to a width."""
    rows = [f"{b.reference},{b.day},{b.party},{b.currency},{short(b.amount)}" for b in left]
    _lines(folder / "left.csv", ["voucher,date,party,currency,amount", *rows])
    rows = [f"{b.day},{_quoted(f'{b.party} {b.reference}')},{b.currency.lower()},{b.amount:.2f}" for b in right]
    _lines(folder / "right.csv", ["date,description,ccy,value", *rows])


def signs(left: list[Booking], right: list[Booking], folder: Path, rng: random.Random) -> None:
    """Opposite signs, tabs and timestamps, references in small letters."""
    rows = [f"{b.reference},{b.day}T00:00:00Z,{b.party},{short(-b.amount)}" for b in left]
    _lines(folder / "left.csv", ["ref,date,party,amount", *rows])
    rows = [f"{b.reference.lower()}\t{b.day}\t{b.party}\t{b.amount:.2f}" for b in right]
    _lines(folder / "right.csv", ["ref\tdate\tparty\tamount", *rows])


def chinese(left: list[Booking], right: list[Booking], folder: Path, rng: random.Random) -> None:
    """GB18030, Chinese headers and dates, full-width figures."""

    def wide(text: str) -> str:
        return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text)

    rows = [
        f"{b.reference},{b.day.year}年{b.day.month}月{b.day.day}日,{b.party},{wide(f'{b.amount:,.2f}')}" for b in left
    ]
    _lines(folder / "left.csv", ["发票号,日期,客户,金额（元）", *rows], "gb18030")
    rows = [f'{b.day:%Y/%m/%d},货款 {wide(b.reference)},{b.party},"¥{b.amount:,.2f}"' for b in right]
    _lines(folder / "right.csv", ["交易日,摘要,对方户名,收入金额", *rows], "gb18030")


_MISSING: dict[Fate, int] = {"unpaid": 5, "unbooked": 4}
_OFF: dict[Fate, int] = {"fee": 3, "dime": 2, "cent": 2, "swapped": 2, "card": 3}
_GROUPS: dict[Fate, int] = {"split": 4, "batch": 3}

KINDS: dict[str, Kind] = {
    "plain": Kind({"paid": 98, "late": 10, "fee": 1, "dime": 1, **_MISSING}, plain),
    "european": Kind(
        {"paid": 106, "fee": 1, "dime": 1, "swapped": 2, "card": 2, "cent": 1, "double": 2, **_MISSING}, european
    ),
    "accounting": Kind(
        {"paid": 91, "split": 5, "double": 8, "fee": 1, "swapped": 2, "dime": 2, **_MISSING}, accounting
    ),
    "batches": Kind({"paid": 102, "split": 9, "batch": 3, "fee": 1, **_MISSING}, batches),
    "noref": Kind({"paid": 106, "fee": 2, "swapped": 1, **_MISSING}, noref),
    "currencies": Kind(
        {"paid": 98, "double": 8, "currency": 2, "late": 2, "fee": 1, **_MISSING},
        currencies,
        currencies=("EUR", "USD", "CHF"),
    ),
    "signs": Kind({"paid": 102, "cent": 3, "dime": 3, "fee": 2, "swapped": 2, "card": 2, **_MISSING}, signs),
    "chinese": Kind(
        {"paid": 107, "fee": 2, "swapped": 1, "card": 2, "double": 3, **_MISSING}, chinese, parties=CHINESE
    ),
    "everything": Kind(
        {"paid": 90, "late": 4, "double": 6, "currency": 2, **_OFF, **_GROUPS, **_MISSING},
        currencies,
        currencies=("EUR", "USD", "CHF"),
    ),
    "noref_everything": Kind({"paid": 90, "late": 4, "double": 4, **_OFF, **_GROUPS, **_MISSING}, noref),
}


def make(name: str, seed: int, folder: Path) -> MonthEnd:
    """Write the files of a month end into `folder` and tell their truth."""
    rng = random.Random(f"{name} {seed}")
    kind = KINDS[name]
    draft = Draft(kind, rng)
    for fate, count in kind.fates.items():
        for _ in range(rng.randrange(2 * count + 1) if count <= 10 else rng.randrange(count - 20, count + 21)):
            draft.befall(fate)
    left = sorted(draft.left, key=lambda one: (one.day, rng.random()))
    right = sorted(draft.right, key=lambda one: (one.day, rng.random()))
    folder.mkdir(parents=True, exist_ok=True)
    kind.write(left, right, folder, rng)
    lefts = {one.key: row for row, one in enumerate(left, start=1)}
    rights = {one.key: row for row, one in enumerate(right, start=1)}
    told = [
        Placed(
            what,
            tuple(sorted(lefts[one.key] for one in on_left)),
            tuple(sorted(rights[one.key] for one in on_right)),
            (lefts if on_left else rights)[twin.key] if twin else None,
        )
        for what, on_left, on_right, twin in draft.told
    ]
    return MonthEnd(
        left=folder / "left.csv",
        right=folder / "right.csv",
        rows=(len(left), len(right)),
        totals=(sum((one.amount for one in left), Decimal(0)), sum((one.amount for one in right), Decimal(0))),
        matches=tuple(one for one in told if one.kind in ("match", "grouped")),
        breaks=tuple(one for one in told if one.kind not in ("match", "grouped")),
    )


@pytest.fixture
def month_end(tmp_path: Path) -> Callable[[str, int], MonthEnd]:
    """Makes the month end of a kind and a seed."""
    return lambda name, seed: make(name, seed, tmp_path / f"{unicodedata.normalize('NFC', name)}-{seed}")
