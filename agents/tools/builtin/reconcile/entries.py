"""One side of a reconciliation as every pass sees it: numbered entries with exact amounts, and what was assumed."""

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

UNNAMED_CURRENCY = "XXX"
"""ISO 4217's code for «no currency involved»: used where a file names none."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One booking: a data row of a table, numbered from 1 in file order (headers, blank and total rows not counted)."""

    row: int
    amount: Decimal
    currency: str
    date: date | None
    references: tuple[str, ...]
    """What can serve as a reference: NFKC, upper case, letters and digits only (`INV20260822`); best first."""
    party: str
    """The other party's name as written, NFKC, spaces folded; empty when no column or text holds one."""
    text: str
    """All free text of the row, for searches and for people."""


@dataclass(frozen=True, slots=True)
class Side:
    """All entries of one table. Amounts already carry the sign in which both sides are compared."""

    name: str
    entries: tuple[Entry, ...]
    assumptions: tuple[str, ...] = field(default=())

    def totals(self) -> dict[str, Decimal]:
        """Sum of the amounts per currency, exact."""
        sums: dict[str, Decimal] = {}
        for entry in self.entries:
            sums[entry.currency] = sums.get(entry.currency, Decimal(0)) + entry.amount
        return sums
