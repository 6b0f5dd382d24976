"""Looks at the two tables before a run is opened: bad input is one line at the command, not a failed run."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agents.tools.builtin.reconcile.columns import prepare
from agents.tools.builtin.tables.reading import read_table
from orchestrator.errors import InputError


def check(files: Mapping[str, Path], parameters: Mapping[str, Any]) -> None:
    """Raises InputError when a table cannot be read, or has nothing to reconcile by."""
    given = hints(parameters)
    prepare(
        read_table(files["left"], name=str(files["left"])),
        read_table(files["right"], name=str(files["right"])),
        left_hints=given["left"],
        right_hints=given["right"],
    )


def hints(parameters: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """What a person said about columns: `left.amount=Betrag` is `{"left": {"amount": "Betrag"}}`. Raises InputError."""
    told: dict[str, dict[str, str]] = {"left": {}, "right": {}}
    for name, value in parameters.items():
        side, dot, role = name.partition(".")
        if side not in told or not dot or not role:
            mend = "Say which column is what as left.amount=Betrag or right.reference=Text."
            raise InputError("there is no such parameter", where=f"`{name}`", mend=mend)
        told[side][role] = str(value)
    return told
