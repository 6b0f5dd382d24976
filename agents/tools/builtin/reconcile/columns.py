"""From two grids to two comparable sides: the roles of their columns, their entries, one sign and one currency name.

The pieces stand beside it: `columns_find` (roles), `columns_amounts`, `columns_references`, `columns_party`,
`columns_entries` (a grid → a side) and `columns_align` (two sides → comparable sides).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from agents.tools.builtin.reconcile.columns_align import align
from agents.tools.builtin.reconcile.columns_entries import entries, reference_keys
from agents.tools.builtin.reconcile.columns_find import Elsewhere, find_roles, roles_of
from agents.tools.builtin.reconcile.columns_roles import Hints, Roles, roles_from_hints
from agents.tools.builtin.reconcile.entries import Side
from agents.tools.builtin.tables.columns import Column, typed_columns
from agents.tools.builtin.tables.grid import Grid

__all__ = ["Hints", "Prepared", "Roles", "align", "entries", "find_roles", "prepare", "roles_from_hints"]


@dataclass(frozen=True, slots=True)
class Prepared:
    """Two sides ready to be matched, how their columns were understood, and what was assumed about both."""

    left: Side
    right: Side
    left_roles: Roles
    right_roles: Roles
    assumptions: tuple[str, ...]


def prepare(
    left: Grid,
    right: Grid,
    *,
    left_hints: Mapping[str, str] | None = None,
    right_hints: Mapping[str, str] | None = None,
) -> Prepared:
    """Understand two tables together: what one leaves open, the other may decide. Raises InputError."""
    left_columns, right_columns = typed_columns(left), typed_columns(right)
    left_told = roles_from_hints(left_hints or {}, left.header, left.name)
    right_told = roles_from_hints(right_hints or {}, right.header, right.name)
    left_roles = roles_of(left, left_columns, left_told, Elsewhere.of(right_columns))
    right_roles = roles_of(right, right_columns, right_told, Elsewhere.of(left_columns))
    left_side, right_side, said = align(
        entries(
            left,
            left_roles,
            left.name,
            near=_sure_range(right_columns, right_roles),
            known=reference_keys(right, right_roles),
            typed=left_columns,
        ),
        entries(
            right,
            right_roles,
            right.name,
            near=_sure_range(left_columns, left_roles),
            known=reference_keys(left, left_roles),
            typed=right_columns,
        ),
    )
    both = (*_from("left", left_side), *_from("right", right_side), *said)
    return Prepared(left_side, right_side, left_roles, right_roles, tuple(dict.fromkeys(both)))


def _from(place: str, side: Side) -> list[str]:
    return [f"{place.capitalize()} ({side.name}): {said}" for said in side.assumptions]


def _sure_range(columns: Sequence[Column], roles: Roles) -> tuple[date, date] | None:
    """The time a table covers, when its dates can be read in one way only."""
    column = next((column for column in columns if column.name == roles.date), None)
    if column is None or column.dates is None or not column.dates.sure:
        return None
    days = [day for day in column.days() if day]
    return (min(days), max(days)) if days else None
