"""Finds the column, or the debit and credit pair, that holds the amounts of a table, and reads it exactly."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations, pairwise

from agents.tools.builtin.reconcile.columns_references import code_share
from agents.tools.builtin.reconcile.columns_roles import Roles
from agents.tools.builtin.tables.columns import Column
from agents.tools.builtin.tables.currencies import currency_in
from agents.tools.builtin.tables.numbers import is_blank, sampled
from agents.tools.builtin.tables.vocabulary import folded, named_as

_DEBIT_WORDS = """
    d dr db debit debits soll s lastschrift belastung debet debito debe dare cargo af ut out withdrawal paid
    借 借方 支出 出金 차변 출금 дебет расход - minus
"""
_DEBITS = frozenset(_DEBIT_WORDS.split())
_CREDIT_WORDS = """
    c cr credit credits haben h gutschrift kredit credito haber avere abono bij inn in deposit received 贷 贷方
    貸方 收入 入金 대변 입금 кредит приход + plus
"""
_CREDITS = frozenset(_CREDIT_WORDS.split())


_MOST_MARKS = 6  # a column of marks holds two words, in one or two spellings


@dataclass(frozen=True, slots=True)
class AmountRoles:
    """Which columns hold the amounts: one, or a debit and credit pair; `sign` marks the side of one column."""

    amount: str | None = None
    debit: str | None = None
    credit: str | None = None
    sign: str | None = None
    assumptions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Amounts:
    """The exact amount of every row, and what had to be assumed."""

    values: tuple[Decimal, ...]
    assumptions: tuple[str, ...]


def find_amount(columns: Sequence[Column], elsewhere: Collection[Decimal] = frozenset()) -> AmountRoles | None:
    """Find the amounts; `elsewhere` are the sizes of the figures in the other table. None when nothing can be one."""
    pair = _named_pair(columns)
    if pair is not None:
        return AmountRoles(debit=pair[0].name, credit=pair[1].name)
    scored = sorted(
        ((_score(column, columns, elsewhere), -place) for place, column in enumerate(columns) if column.numbers),
        reverse=True,
    )
    likely = [(score, columns[-place]) for score, place in scored if score > 0]
    if not likely:
        return None
    guessed = _complementary_pair([column for column in columns if column in [one for _, one in likely]])
    if guessed is not None and named_as(likely[0][1].name, "amount") < 3.0:
        said = f"`{guessed[0].name}` is taken as the debit and `{guessed[1].name}` as the credit column."
        return AmountRoles(debit=guessed[0].name, credit=guessed[1].name, assumptions=(said,))
    best = likely[0][1]
    return AmountRoles(amount=best.name, sign=find_sign(columns, best), assumptions=_doubt(likely))


def _named_pair(columns: Sequence[Column]) -> tuple[Column, Column] | None:
    usable = [column for column in columns if column.kind in ("number", "empty")]
    debits = [column for column in usable if named_as(column.name, "debit") >= 2.0 > named_as(column.name, "credit")]
    incoming = [column for column in usable if named_as(column.name, "credit") >= 2.0 > named_as(column.name, "debit")]
    if not debits or not incoming or debits[0].kind == incoming[0].kind == "empty":
        return None
    return debits[0], incoming[0]


def _complementary_pair(likely: Sequence[Column]) -> tuple[Column, Column] | None:
    """Two columns of which every row fills exactly one, and both are used."""
    for place, one in enumerate(likely):
        for other in likely[place + 1 :]:
            filled = [(bool(mine), bool(theirs)) for mine, theirs in zip(one.values(), other.values(), strict=True)]
            single = sum(1 for mine, theirs in filled if mine != theirs)
            if single * 20 >= len(filled) * 19 and {mine for mine, _ in filled} == {True, False}:
                turned = named_as(one.name, "credit") > 0 or named_as(other.name, "debit") > 0
                return (other, one) if turned else (one, other)
    return None


def _score(column: Column, columns: Sequence[Column], elsewhere: Collection[Decimal]) -> float:
    """How much a column of numbers looks like amounts; above 0 it can be."""
    values = [value for value in column.values() if value is not None]
    with_cents = sum(1 for value in values if _has_cents(value)) / max(1, len(values))
    whole = not with_cents and not (column.numbers and column.numbers.proven)
    score = 0.6 + named_as(column.name, "amount") - named_as(column.name, "other number") + with_cents
    score -= 1.5 * named_as(column.name, "balance") + (named_as(column.name, "reference") if whole else 0.0)
    score += 1.0 if currency_in(column.name) else 0.0
    score += 0.3 * max(named_as(column.name, "debit"), named_as(column.name, "credit"))
    score += 1.0 if _is_sum_of_two(column, columns) else 0.0
    if elsewhere:
        score += 3.0 * sum(1 for value in values if value and abs(value) in elsewhere) / max(1, len(values))
    if whole and (_numbers_rows(values) or (_same_length(column.cells) and code_share(sampled(column.cells)) > 0.9)):
        score -= 3.0
    if not any(values):
        score -= 3.0
    return score - (3.0 if _is_running_balance(values, columns) else 0.0)


def _is_sum_of_two(column: Column, columns: Sequence[Column]) -> bool:
    """True for a gross amount: net and tax of the same row add up to it."""
    others = [other.values() for other in columns if other.numbers and other is not column]
    wanted = column.values()
    return any(_adds_up(wanted, one, other) for one, other in combinations(others, 2))


def _adds_up(wanted: Sequence[Decimal | None], one: Sequence[Decimal | None], other: Sequence[Decimal | None]) -> bool:
    rows = [(whole, a, b) for whole, a, b in zip(wanted, one, other, strict=True) if whole and a and b]
    return len(rows) >= 3 and len(rows) * 2 >= len(wanted) and all(whole == a + b for whole, a, b in rows)


def _has_cents(value: Decimal) -> bool:
    return value != value.to_integral_value()


def _numbers_rows(values: Sequence[Decimal]) -> bool:
    return len(values) >= 3 and all(after - before == 1 for before, after in pairwise(values))


def _same_length(cells: Sequence[str]) -> bool:
    lengths = {len(cell) for cell in cells if cell}
    return len(lengths) == 1 and lengths.pop() >= 5


def _is_running_balance(values: Sequence[Decimal], columns: Sequence[Column]) -> bool:
    """True when each figure is the one before plus a figure of another column."""
    if len(values) < 4:
        return False
    steps = [abs(after - before) for before, after in pairwise(values)]
    for column in columns:
        others = [value for value in column.values() if value is not None]
        if len(others) == len(values) and others != values and _follows(steps, others):
            return True
    return False


def _follows(steps: Sequence[Decimal], others: Sequence[Decimal]) -> bool:
    # A statement runs forwards or backwards in time.
    forwards = sum(1 for step, value in zip(steps, others[1:], strict=True) if step == abs(value))
    backwards = sum(1 for step, value in zip(steps, others[:-1], strict=True) if step == abs(value))
    return max(forwards, backwards) * 10 >= len(steps) * 9


def _doubt(likely: Sequence[tuple[float, Column]]) -> tuple[str, ...]:
    best, column = likely[0]
    if named_as(column.name, "amount") < 2.0:
        return (f"`{column.name}` is taken as the amount, by what its cells look like.",)
    rivals = [other.name for score, other in likely[1:] if best - score < 1.0]
    if rivals:
        shown = ", ".join(f"`{name}`" for name in rivals)
        return (f"`{column.name}` is taken as the amount, not {shown}.",)
    return ()


def find_sign(columns: Sequence[Column], amount: Column) -> str | None:
    """A column that marks each row as debit or credit, beside amounts without a minus."""
    if any(value < 0 for value in amount.values() if value is not None):
        return None
    for column in columns:
        cells = set(column.cells) - {""}
        if column.kind != "text" or len(cells) > _MOST_MARKS:
            continue
        marks = {_mark(cell) for cell in cells}
        named = named_as(column.name, "sign") >= 2.0
        if marks and marks <= {"debit", "credit"} and (named or len(marks) == 2):
            return column.name
    return None


def _mark(cell: str) -> str:
    word = cell.strip() if cell.strip() in ("+", "-") else folded(cell)
    if word in _DEBITS:
        return "debit"
    return "credit" if word in _CREDITS else ""


def read_amounts(columns: dict[str, Column], roles: Roles) -> Amounts:
    """Read the amounts the roles name. In a pair, credit counts as plus and debit as minus."""
    notes: list[str] = []
    if roles.amount is not None:
        values = _column_values(columns[roles.amount], notes)
        if roles.sign is not None:
            marks = [_mark(cell) for cell in columns[roles.sign].cells]
            values = [_signed(value, mark) for value, mark in zip(values, marks, strict=True)]
            notes.append(f"Column `{roles.sign}` marks debits (counted as minus) and credits (plus).")
    else:
        values = _pair_values(columns, roles, notes)
    missing = [row for row, value in enumerate(values, start=1) if value is None]
    if missing:
        notes.append(f"{_rows(missing)} no amount; counted as 0.")
    return Amounts(tuple(value or Decimal(0) for value in values), tuple(notes))


def _signed(value: Decimal | None, mark: str) -> Decimal | None:
    return -value if value is not None and mark == "debit" else value


def _column_values(column: Column, notes: list[str]) -> list[Decimal | None]:
    values = list(column.values())
    for row, (cell, value) in enumerate(zip(column.cells, values, strict=True), start=1):
        if value is None and not is_blank(cell):
            notes.append(f"Row {row}: `{cell[:40]}` in column `{column.name}` is no number.")
    if column.numbers and column.numbers.reverse_credit:
        notes.append(f"In column `{column.name}` only credits are marked (`CR`); they count as minus.")
    return values


def _pair_values(columns: dict[str, Column], roles: Roles, notes: list[str]) -> list[Decimal | None]:
    debit = _column_values(columns[roles.debit], notes) if roles.debit else []
    credit = _column_values(columns[roles.credit], notes) if roles.credit else []
    # Some banks print the debits of a debit column with a minus, which must not turn them into credits.
    if debit and all(value <= 0 for value in debit if value is not None):
        debit = [-value if value is not None else None for value in debit]
    rows = max(len(debit), len(credit))
    return [_net(_at(debit, row), _at(credit, row)) for row in range(rows)]


def _at(values: Sequence[Decimal | None], row: int) -> Decimal | None:
    return values[row] if row < len(values) else None


def _net(debit: Decimal | None, credit: Decimal | None) -> Decimal | None:
    if debit is None and credit is None:
        return None
    return (credit or Decimal(0)) - (debit or Decimal(0))


def _rows(rows: Sequence[int]) -> str:
    shown = ", ".join(str(row) for row in rows[:5]) + (", …" if len(rows) > 5 else "")
    return f"Row {shown} has" if len(rows) == 1 else f"{len(rows)} rows ({shown}) have"
