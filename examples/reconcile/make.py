"""Writes the example's ledger and bank statement: a quarter of invoices, paid as customers pay.

    python examples/reconcile/make.py [FOLDER]

Every kind of difference is in it, and exactly two things that only a person can decide.
"""

import random
import sys
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

SEED = 20260331
CENT = Decimal("0.01")
CUSTOMERS = (
    *("Acme Tooling", "Brightwater Ltd", "Cedar & Sons", "Delmar Foods", "Eastgate Print", "Fjord Shipping AS"),
    *("Grünwald GmbH", "Haldane Optics", "Ionic Supply", "Jasper Textiles", "Kestrel Air", "Lindqvist AB"),
    *("Møller Frø", "Northfield Dairy", "Oakhurst Mills", "Piñata Events", "Quarry Stone", "Riverside Clinic"),
    *("Société Lumière", "Tanaka Parts", "Umbra Hôtels SA", "Zürcher Blech AG"),
)


@dataclass(frozen=True)
class Booking:
    """One row of either file."""

    day: date
    party: str
    amount: Decimal
    currency: str
    reference: str = ""


class Quarter:
    """The bookings of both sides, in the making."""

    def __init__(self) -> None:
        self.rng = random.Random(SEED)
        self.ledger: list[Booking] = []
        self.bank: list[Booking] = []
        self._number = 100

    def invoice(self, party: str = "", amount: str = "", day: date | None = None, currency: str = "") -> Booking:
        """A new invoice, booked in the ledger."""
        self._number += self.rng.randrange(1, 4)
        value = Decimal(amount) if amount else Decimal(int(self.rng.lognormvariate(12, 0.9))) / 100 + 20
        booking = Booking(
            day or date(2026, 1, 5) + timedelta(days=self.rng.randrange(76)),
            party or self.rng.choice(CUSTOMERS),
            value,
            currency or self.rng.choices(["EUR", "CHF", "USD"], [8, 2, 1])[0],
            f"INV-2026-{self._number:04}",
        )
        self.ledger.append(booking)
        return booking

    def paid(self, invoice: Booking, less: Decimal | str = "0", days: int | None = None) -> Booking:
        """The payment of an invoice some days later, short by `less`."""
        lag = self.rng.randrange(1, 9) if days is None else days
        payment = replace(
            invoice, day=invoice.day + timedelta(days=lag), amount=invoice.amount - Decimal(less).quantize(CENT)
        )
        self.bank.append(payment)
        return payment


def quarter() -> Quarter:
    """All bookings of the example."""
    made = Quarter()
    _ordinary(made)
    _differing(made)
    _grouped(made)
    _doubled(made)
    _undecidable(made)
    return made


def _ordinary(made: Quarter) -> None:
    for at in range(230):
        invoice = made.invoice()
        payment = made.paid(invoice)
        if at % 12 == 0:  # some customers name no invoice
            made.bank[-1] = replace(payment, reference="")


def _differing(made: Quarter) -> None:
    for _ in range(6):
        made.paid(made.invoice(amount=f"{made.rng.randrange(40_000, 600_000) / 100:.2f}"), less="9.00")
    for less in ("0.01", "-0.10", "0.05", "-0.02"):
        made.paid(made.invoice(), less=less)
    for amount, less in (("1892.37", "-90.00"), ("5417.20", "-270.00"), ("864.90", "18.00")):
        made.paid(made.invoice(amount=amount), less=less)
    for _ in range(4):
        invoice = made.invoice(currency="EUR")
        made.paid(invoice, less=invoice.amount * Decimal("0.015") + Decimal("0.25"))
    for _ in range(3):
        invoice = made.invoice()
        made.paid(invoice, less=invoice.amount * Decimal("0.02"))
    for days in (51, 58, 66, 73):
        made.paid(made.invoice(day=date(2026, 1, 12) + timedelta(days=days % 9)), days=days)
    for currency, other in (("EUR", "CHF"), ("USD", "EUR")):
        made.paid(made.invoice(currency=currency))
        made.bank[-1] = replace(made.bank[-1], currency=other)
    for _ in range(7):
        made.invoice()
    for _ in range(5):
        made.paid(made.invoice())
        made.ledger.pop()


def _grouped(made: Quarter) -> None:
    for party, count in (("Fjord Shipping AS", 4), ("Umbra Hôtels SA", 3), ("Oakhurst Mills", 5)):
        first = date(2026, 2, 2) + timedelta(days=made.rng.randrange(20))
        parts = [made.invoice(party, day=first + timedelta(days=at), currency="EUR") for at in range(count)]
        made.bank.append(
            Booking(
                parts[-1].day + timedelta(days=2),
                party,
                sum((part.amount for part in parts), Decimal(0)),
                "EUR",
                ", ".join(part.reference for part in parts),
            )
        )
    for _ in range(5):
        invoice = made.invoice()
        part = (invoice.amount * Decimal("0.4")).quantize(CENT)
        made.paid(invoice, less=invoice.amount - part)
        made.paid(invoice, less=part)


def _doubled(made: Quarter) -> None:
    for at in range(6):
        invoice = made.invoice()
        payment = made.paid(invoice)
        if at % 2:
            made.ledger.append(replace(invoice, day=invoice.day + timedelta(days=1)))
        else:
            made.bank.append(replace(payment, day=payment.day + timedelta(days=1)))


def _undecidable(made: Quarter) -> None:
    """An invoice paid with far too little, and a payment that fits two invoices alike."""
    made.paid(made.invoice("Quarry Stone", "12480.00", date(2026, 2, 16), "EUR"), less="3306.40", days=6)
    made.invoice("Northfield Dairy", "2350.00", date(2026, 3, 2), "EUR")
    second = made.invoice("Northfield Dairy", "2350.00", date(2026, 3, 3), "EUR")
    made.paid(second, days=4)
    made.bank[-1] = replace(made.bank[-1], reference="")


def ledger_lines(made: Quarter) -> list[str]:
    """The ledger as an English program exports it."""
    rows = sorted(made.ledger, key=lambda one: (one.day, one.reference))
    cells = [f'{one.reference},{one.day},"{one.party}",{one.amount:.2f},{one.currency}' for one in rows]
    return ["Invoice No,Date,Customer,Amount,Currency", *cells]


def bank_lines(made: Quarter) -> list[str]:
    """The statement as a German bank exports it: preamble, semicolons, decimal commas, worn-down names, a last line."""
    rows = sorted(made.bank, key=lambda one: (one.day, made.rng.random()))
    head = ["Kontoauszug;;;;;", "Zeitraum;01.01.2026 - 31.03.2026;;;;", ";;;;;"]
    columns = "Buchungstag;Valuta;Auftraggeber;Verwendungszweck;Betrag;Währung"
    return [*head, columns, *(_bank_line(one, made.rng) for one in rows), f";;;Anzahl Umsätze: {len(rows)};;"]


def _bank_line(one: Booking, rng: random.Random) -> str:
    amount = f"{one.amount:,.2f}".translate(str.maketrans(",.", ".,"))
    valuta = one.day + timedelta(days=rng.randrange(2))
    return f"{one.day:%d.%m.%y};{valuta:%d.%m.%y};{_worn(one.party, rng)};{_purpose(one, rng)};{amount};{one.currency}"


def _worn(party: str, rng: random.Random) -> str:
    if len(party) > 12 and rng.random() < 0.2:
        party = party[:11].rstrip() + "."
    return party.upper() if rng.random() < 0.25 else party


def _purpose(one: Booking, rng: random.Random) -> str:
    if not one.reference:
        return rng.choice(("Zahlung danke", "Überweisung", "laut Vereinbarung"))
    if "," in one.reference:
        return f"Sammelzahlung {one.reference}"
    number = one.reference.removeprefix("INV-")
    spelled = (
        one.reference,
        one.reference,
        one.reference,
        f"INV{number.replace('-', '')}",
        f"inv {number}",
        f"RE: {one.reference}",
    )
    return f"{rng.choice(('Zahlung', 'Rechnung', 'SEPA-Gutschrift'))} {rng.choice(spelled)} danke"


def main(folder: Path) -> None:
    """Write both files."""
    made = quarter()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ledger.csv").write_bytes(("\n".join(ledger_lines(made)) + "\n").encode())
    (folder / "bank.csv").write_bytes(("\r\n".join(bank_lines(made)) + "\r\n").encode("cp1252"))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
