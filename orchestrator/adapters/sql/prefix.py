"""Finding a row by the beginning of its id."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from sqlalchemy import Column, bindparam
from sqlalchemy.sql.elements import ColumnElement

from orchestrator.errors import NotFoundError

T = TypeVar("T")


def within(column: Column[str]) -> ColumnElement[bool]:
    """`column` begins as `beginning` says: a range, so that the index serves."""
    return (column >= bindparam("lowest")) & (column < bindparam("above"))


def beginning(text: str) -> Mapping[str, str]:
    """The parameters of `within`; nothing begins with an empty text."""
    if not text or ord(text[-1]) >= 0x10FFFF:
        return {"lowest": text, "above": text}
    return {"lowest": text, "above": text[:-1] + chr(ord(text[-1]) + 1)}


def only(rows: Sequence[T], noun: str, asked: str) -> T:
    """The one row that was found."""
    if not rows:
        raise NotFoundError(f"there is no {noun} `{asked}`", mend=f"`remit {noun}s list` shows those there are.")
    if len(rows) > 1:
        raise NotFoundError(f"several {noun}s begin with `{asked}`", mend="Write more of the id.")
    return rows[0]
