"""Looks at the two tables before a run is opened: bad input is one line at the command, not a failed run."""

from collections.abc import Mapping
from pathlib import Path

from agents.tools.builtin.reconcile.columns import prepare
from agents.tools.builtin.tables.reading import read_table


def check(files: Mapping[str, Path]) -> None:
    """Raises InputError when a table cannot be read, or has nothing to reconcile by."""
    prepare(
        read_table(files["left"], name=str(files["left"])),
        read_table(files["right"], name=str(files["right"])),
    )
