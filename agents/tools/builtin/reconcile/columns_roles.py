"""The roles that columns play in a reconciliation, as they are found, told by a person, and written into results."""

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict

from agents.tools.builtin.tables.vocabulary import folded
from orchestrator.errors import InputError

Role = Literal["amount", "debit", "credit", "sign", "date", "reference", "party", "currency", "text"]


class Roles(BaseModel):
    """Column names by role: `amount`, or `debit` and `credit`; `sign` is a column that marks debits and credits."""

    model_config = ConfigDict(frozen=True)

    amount: str | None = None
    debit: str | None = None
    credit: str | None = None
    sign: str | None = None
    date: str | None = None
    references: tuple[str, ...] = ()
    party: str | None = None
    currency: str | None = None
    texts: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()


class Hints(BaseModel):
    """What a person said about columns, by role; a role that is not named is found by looking."""

    model_config = ConfigDict(frozen=True)

    columns: dict[Role, tuple[str, ...]] = {}

    def one(self, role: Role) -> str | None:
        """The column told for a role that one column plays."""
        return next(iter(self.columns.get(role, ())), None)


def roles_from_hints(hints: Mapping[str, str], header: Sequence[str], where: str) -> Hints:
    """Check a person's hints against a table: `{"amount": "Betrag", "reference": "Rechnung, Auftrag"}`.

    Columns are named as in the header (case and accents aside) or by number. Raises InputError.
    """
    columns: dict[Role, tuple[str, ...]] = {}
    for said, value in hints.items():
        role = next((role for role in get_args(Role) if role == folded(said)), None)
        if role is None:
            known = ", ".join(get_args(Role))
            raise InputError(f"there is no role `{said}`", where=where, mend=f"The roles are {known}.")
        names = [value] if value in header else value.split(",")
        columns[role] = tuple(_column(name.strip(), header, where) for name in names)
    return Hints(columns=columns)


def _column(name: str, header: Sequence[str], where: str) -> str:
    if name in header:
        return name
    alike = [one for one in header if folded(one) == folded(name)]
    if len(alike) == 1:
        return alike[0]
    if name.isascii() and name.isdigit() and 1 <= int(name) <= len(header):
        return header[int(name) - 1]
    shown = ", ".join(f"`{one}`" for one in header)
    raise InputError(f"there is no column `{name}`", where=where, mend=f"The columns are {shown}.")
