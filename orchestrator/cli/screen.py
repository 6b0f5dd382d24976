"""Where text goes: results to standard output, everything else to standard error."""

import shutil
import sys
from pathlib import Path

from rich.console import Console
from rich.theme import Theme

THEME = Theme(
    {
        "done": "green",
        "running": "cyan",
        "waiting": "yellow",
        "ready": "blue",
        "blocked": "dim",
        "failed": "red",
        "partial": "magenta",
        "skipped": "dim",
        "cancelled": "dim",
        "limit": "magenta",
        "faint": "dim",
        "strong": "bold",
    }
)


def out() -> Console:
    """Standard output."""
    return Console(theme=THEME, highlight=False)


def err() -> Console:
    """Standard error."""
    return Console(theme=THEME, stderr=True, highlight=False)


def program() -> str:
    """How this command is called from here: `remit` when that finds it, else its path as it was given."""
    called = Path(sys.argv[0])
    if called.name != "remit":
        return "remit"
    found = shutil.which("remit")
    return "remit" if found and Path(found).resolve() == called.resolve() else str(called)


def person_is_there() -> bool:
    """True when somebody can be asked: input and error output are a terminal."""
    return sys.stdin.isatty() and sys.stderr.isatty()
