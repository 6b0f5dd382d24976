"""Finds which column of a table plays which role in a reconciliation, by its name and by what its cells look like."""

from collections.abc import Callable, Collection, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from decimal import Decimal

from agents.tools.builtin.reconcile.columns_amounts import AmountRoles, find_amount
from agents.tools.builtin.reconcile.columns_references import code_share, reference_key, references_in
from agents.tools.builtin.reconcile.columns_roles import Hints, Roles
from agents.tools.builtin.tables.columns import Column, typed_columns
from agents.tools.builtin.tables.currencies import currency_of
from agents.tools.builtin.tables.grid import Grid
from agents.tools.builtin.tables.numbers import is_blank, sampled
from agents.tools.builtin.tables.vocabulary import named_as
from orchestrator.errors import InputError

_MOSTLY = 0.6
_LEAST_DISTINCT, _ENOUGH_ROWS = 0.4, 10  # below, the codes name customers or accounts, not bookings
_BOOKED = ("booking", "posting", "posted", "transaction", "buchung", "valeur comptable", "操作", "交易", "取引", "记账")


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What the other table holds: where two columns could play a role, the one that meets its cells does."""

    figures: frozenset[Decimal] = frozenset()
    codes: frozenset[str] = frozenset()

    @classmethod
    def of(cls, columns: Sequence[Column]) -> "Elsewhere":
        """The figures and the codes of another table."""
        figures: set[Decimal] = set()
        codes: set[str] = set()
        for column in columns:
            figures.update(abs(value) for value in column.values() if value)
            if column.kind in ("text", "number"):
                codes.update(key for cell in set(column.cells) for key in _codes(cell))
        return cls(frozenset(figures), frozenset(codes))


def find_roles(grid: Grid, hints: Hints | None = None, other: Grid | None = None) -> Roles:
    """Find the roles of a table's columns; hints of a person come first. Raises InputError without an amount."""
    elsewhere = Elsewhere.of(typed_columns(other)) if other is not None else Elsewhere()
    return roles_of(grid, typed_columns(grid), hints or Hints(), elsewhere)


def roles_of(grid: Grid, columns: Sequence[Column], hints: Hints, elsewhere: Elsewhere) -> Roles:
    """As `find_roles`, of columns that are typed already."""
    amounts = _amount_roles(grid, columns, hints, elsewhere)
    taken = {amounts.amount, amounts.debit, amounts.credit, amounts.sign, *_hinted(hints)}
    date = hints.one("date") or _best(columns, taken, _date_score)
    currency = hints.one("currency") or _best(columns, {*taken, date}, _currency_score)
    taken |= {date, currency}
    references = hints.columns.get("reference", ()) or _references(columns, taken, elsewhere.codes)
    party = hints.one("party") or _best(columns, {*taken, *references}, _party_score)
    taken |= {party, *references}
    texts = tuple(column.name for column in columns if column.kind == "text" and _is_text(column, taken, references))
    return Roles(
        amount=amounts.amount,
        debit=amounts.debit,
        credit=amounts.credit,
        sign=amounts.sign,
        date=date,
        references=references,
        party=party,
        currency=currency,
        texts=hints.columns.get("text", ()) or texts,
        assumptions=amounts.assumptions,
    )


def _is_text(column: Column, taken: Collection[str | None], references: Collection[str]) -> bool:
    """Text is what plays no other role, and references that stand in sentences."""
    return column.name not in taken or (column.name in references and code_share(sampled(column.cells)) < _MOSTLY)


def _hinted(hints: Hints) -> set[str]:
    return {name for names in hints.columns.values() for name in names}


def _amount_roles(grid: Grid, columns: Sequence[Column], hints: Hints, elsewhere: Elsewhere) -> AmountRoles:
    told = {role: hints.one(role) for role in ("amount", "debit", "credit", "sign")}
    if told["amount"] or told["debit"] or told["credit"]:
        _require_numbers(grid, columns, [told["amount"], told["debit"], told["credit"]])
        return AmountRoles(told["amount"], told["debit"], told["credit"], told["sign"])
    hinted = _hinted(hints)
    found = find_amount([column for column in columns if column.name not in hinted], elsewhere.figures)
    if found is None:
        shown = ", ".join(f"`{name}`" for name in grid.header)
        raise InputError(
            f"no column holds amounts; the columns are {shown}",
            where=grid.name,
            mend="Name it: amount=COLUMN, or debit=COLUMN and credit=COLUMN.",
        )
    return found


def _require_numbers(grid: Grid, columns: Sequence[Column], names: Sequence[str | None]) -> None:
    for column in columns:
        if column.name in names and column.kind not in ("number", "empty"):
            example = next((cell for cell in column.cells if not is_blank(cell)), "")
            raise InputError(f"column `{column.name}` holds no numbers (`{example[:40]}`)", where=grid.name)


def _best(columns: Sequence[Column], taken: Collection[str | None], score: Callable[[Column], float]) -> str | None:
    free = [(score(column), -place, column.name) for place, column in enumerate(columns) if column.name not in taken]
    best = max(free, default=None)
    return best[2] if best and best[0] > 0 else None


def _date_score(column: Column) -> float:
    if column.kind != "date":
        return 0.0
    lowered = column.name.casefold()
    booked = 0.5 if any(word in lowered for word in _BOOKED) else 0.0
    filled = sum(1 for day in column.days() if day) / max(1, len(column.cells))
    later = 0.3 * named_as(column.name, "value date") + 1.2 * named_as(column.name, "other date")
    return 3.0 + named_as(column.name, "date") + booked + filled - later


def _currency_score(column: Column) -> float:
    filled = [cell for cell in column.cells if not is_blank(cell)]
    if column.kind != "text" or not filled or len(set(filled)) > 40:
        return 0.0
    share = sum(1 for cell in filled if currency_of(cell)) / len(filled)
    return share + named_as(column.name, "currency") if share >= 0.9 else 0.0


def _references(columns: Sequence[Column], taken: Collection[str | None], codes: AbstractSet[str]) -> tuple[str, ...]:
    """All columns of references, the best first: what names them, how distinct they are, whom they meet elsewhere."""
    scored = [
        (_reference_score(column, codes), -place, column.name)
        for place, column in enumerate(columns)
        if column.name not in taken and column.kind in ("text", "number")
    ]
    return tuple(name for score, _, name in sorted(scored, reverse=True) if score > 0)


def _reference_score(column: Column, codes: AbstractSet[str]) -> float:
    every = [cell for cell in column.cells if not is_blank(cell)]
    if not every:
        return 0.0
    distinct = len(set(every)) / len(every)
    filled = sampled(every)
    named = named_as(column.name, "reference") - named_as(column.name, "other number")
    share = code_share(filled)
    met = sum(1 for cell in filled if codes and not codes.isdisjoint(_codes(cell))) / len(filled)
    if share < _MOSTLY and (named < 2.0 or sum(1 for cell in filled if _codes(cell)) * 2 < len(filled)):
        return 0.0
    if distinct < _LEAST_DISTINCT and len(every) >= _ENOUGH_ROWS:
        return 0.0
    # Numbers that nobody calls a reference are quantities, unless the other table knows them.
    if column.kind == "number" and named <= 0 and met < 0.3:
        return 0.0
    return 0.1 + max(0.0, named) + share + distinct + 3.0 * met


def _codes(cell: str) -> list[str]:
    return references_in(cell) or ([reference_key(cell)] if code_share((cell,)) else [])


def _party_score(column: Column) -> float:
    filled = [cell for cell in column.cells if not is_blank(cell)]
    if column.kind != "text" or not filled:
        return 0.0
    # `Name / Description` is a party: text, of all roles, excludes least.
    other = 0.5 * named_as(column.name, "text") + named_as(column.name, "reference")
    named = named_as(column.name, "party") - other
    without_digits = sum(1 for cell in filled if not any(char.isdigit() for char in cell)) / len(filled)
    if named >= 1.0:
        return named + without_digits
    distinct = len({cell.casefold() for cell in filled})
    repeated = len(filled) >= 10 and 2 <= distinct * 10 <= 8 * len(filled)
    return without_digits if named > -1.5 and repeated and without_digits >= 0.9 and distinct > 2 else 0.0
