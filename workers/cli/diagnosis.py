"""What `remit doctor` found: a line each, marked good or bad, and how many are bad."""

from collections.abc import Iterable
from dataclasses import dataclass

from rich.console import Console
from rich.markup import escape


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One thing looked at: how it is, in one line that says what to do when it is bad."""

    what: str
    good: bool
    line: str


def told(found: Iterable[Diagnosis]) -> int:
    """Print what is found as it is found; how many are bad."""
    console = Console(highlight=False)
    bad = 0
    for one in found:
        mark = "[green]✓[/green]" if one.good else "[red]✗[/red]"
        console.print(f"{mark} {one.what:<10} {escape(one.line)}", soft_wrap=True)
        bad += not one.good
    if bad:
        console.print(f"\n{bad} problem{'s' if bad > 1 else ''}.")
    return bad
