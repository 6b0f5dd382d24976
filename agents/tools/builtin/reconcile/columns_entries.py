"""Makes the numbered entries of one side from a grid and the roles of its columns."""

from collections import Counter
from collections.abc import Collection, Sequence
from datetime import date

from agents.tools.builtin.reconcile.columns_amounts import read_amounts
from agents.tools.builtin.reconcile.columns_party import parties_in, plain_name
from agents.tools.builtin.reconcile.columns_references import is_code, reference_key, references_in, without_common
from agents.tools.builtin.reconcile.columns_roles import Roles
from agents.tools.builtin.reconcile.entries import UNNAMED_CURRENCY, Entry, Side
from agents.tools.builtin.tables.columns import Column, typed_columns, with_dates_near
from agents.tools.builtin.tables.currencies import currency_in, currency_of
from agents.tools.builtin.tables.grid import Grid
from agents.tools.builtin.tables.numbers import is_blank, spell
from agents.tools.builtin.tables.vocabulary import named_as


def entries(
    grid: Grid,
    roles: Roles,
    name: str,
    *,
    near: tuple[date, date] | None = None,
    known: Collection[str] = frozenset(),
    typed: Sequence[Column] | None = None,
) -> Side:
    """Read every data row as an entry; nothing is left out. A shared currency sign (`$`, `¥`) stays until `align`.

    `near` is the time the other side covers, for dates that can be read in two ways; `known` are the references of
    the other side, which are then found in free text whatever they look like; `typed` spares typing again.
    """
    columns = {column.name: column for column in with_dates_near(typed or typed_columns(grid), near)}
    amounts = read_amounts(columns, roles)
    named, said = _currencies(grid, roles, columns)
    days, dates_said = _dates(columns, roles)
    texts = [_text(columns, roles, row) for row in range(len(grid.rows))]
    references = without_common([_references(columns, roles, row, known) for row in range(len(grid.rows))])
    parties = _parties(columns, roles, len(grid.rows))
    found = tuple(
        Entry(row + 1, amounts.values[row], named[row], days[row], references[row], parties[row], texts[row])
        for row in range(len(grid.rows))
    )
    used = [columns[one] for one in (roles.amount, roles.debit, roles.credit, roles.date) if one]
    spelled = [column.assumption for column in used if column.assumption]
    return Side(
        name, found, (*grid.assumptions, *roles.assumptions, *spelled, *amounts.assumptions, *said, *dates_said)
    )


def reference_keys(grid: Grid, roles: Roles) -> frozenset[str]:
    """The references that stand as whole cells in the reference columns of a table."""
    cells = {cell for column in roles.references for cell in grid.column(column)}
    return frozenset(reference_key(cell) for cell in cells if is_code(cell))


def _dates(columns: dict[str, Column], roles: Roles) -> tuple[list[date | None], list[str]]:
    if roles.date is None:
        rows = len(next(iter(columns.values())).cells)
        return [None] * rows, ["No column holds dates."]
    column = columns[roles.date]
    days = list(column.days())
    bad = [row for row, (day, cell) in enumerate(zip(days, column.cells, strict=True), 1) if not day and cell]
    shown = ", ".join(str(row) for row in bad[:5])
    return days, [f"{len(bad)} dates in column `{column.name}` cannot be read (rows {shown})."] if bad else []


def _text(columns: dict[str, Column], roles: Roles, row: int) -> str:
    return plain_name(" ".join(columns[name].cells[row] for name in roles.texts if columns[name].cells[row]))


def _references(columns: dict[str, Column], roles: Roles, row: int, known: Collection[str]) -> list[str]:
    found: list[str] = []
    for name in roles.references:
        cell = columns[name].cells[row]
        if not is_blank(cell):
            found += [reference_key(cell)] if is_code(cell) else references_in(cell, known)
    for name in roles.texts:
        found += references_in(columns[name].cells[row], known)
    return list(dict.fromkeys(found))


def _parties(columns: dict[str, Column], roles: Roles, rows: int) -> list[str]:
    if roles.party is not None:
        return [plain_name(cell) for cell in columns[roles.party].cells]
    source = _telling_text(columns, roles)
    return parties_in([plain_name(cell) for cell in columns[source].cells]) if source else [""] * rows


def _telling_text(columns: dict[str, Column], roles: Roles) -> str | None:
    """The text column that may name the party: called a text, else the one with most to say; not a kind or a state."""

    def worth(name: str) -> tuple[float, int, int]:
        cells = columns[name].cells
        return named_as(name, "text"), len(set(cells)), sum(map(len, cells))

    return max(roles.texts, key=worth, default=None)


def _currencies(grid: Grid, roles: Roles, columns: dict[str, Column]) -> tuple[list[str], list[str]]:
    """The currency of each row: its own cell, a mark at the amount, the column's name, or a line above the table."""
    cells = columns[roles.currency].cells if roles.currency else ("",) * len(grid.rows)
    own = [_own_currency(cell) or _marked(columns, roles, row) for row, cell in enumerate(cells)]
    names = Counter(name for name in own if name)
    general = _general(grid, roles) or (next(iter(names)) if len(names) == 1 else UNNAMED_CURRENCY)
    unnamed = sum(1 for name in own if not name)
    told = "1 row names no currency; it counts" if unnamed == 1 else f"{unnamed} rows name no currency; they count"
    notes = [f"{told} as {general}."] if names and unnamed else []
    return [name or general for name in own], notes


def _own_currency(cell: str) -> str:
    if is_blank(cell):
        return ""
    return currency_of(cell) or plain_name(cell).upper()


def _marked(columns: dict[str, Column], roles: Roles, row: int) -> str:
    for name in (roles.amount, roles.debit, roles.credit):
        spelled = spell(columns[name].cells[row]) if name else None
        if spelled is not None and spelled.currency:
            return spelled.currency
    return ""


def _general(grid: Grid, roles: Roles) -> str:
    for name in (roles.amount, roles.debit, roles.credit):
        if name and (found := currency_in(name)):
            return found
    above = [one.text for one in grid.skipped if one.reason == "preamble"]
    lines = [line for line in above if named_as(line, "currency") > 0]
    found = {code for line in lines if (code := currency_in(line))}
    return found.pop() if len(found) == 1 else ""
