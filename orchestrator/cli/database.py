"""`remit db`: the database migrated, checked, made small again, and copied."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from orchestrator.cli import exit_codes, screen
from orchestrator.cli.amounts import size
from orchestrator.domain.counting import counted
from orchestrator.engine.services.caring import Caretaker, Inventory
from orchestrator.errors import InputError

OpenCare = Callable[[], AbstractContextManager[Caretaker]]


def database_app(caring: OpenCare) -> typer.Typer:
    """The command group."""
    app = typer.Typer(no_args_is_help=True, help="The database: migrate, check, vacuum, backup.")

    @app.command()
    def migrate(
        anyway: Annotated[bool, typer.Option("--anyway", help="Beside workers of an older Remit too.")] = False,
    ) -> None:
        """Bring the schema up to what this Remit works with; not while workers of an older one are at work."""
        with caring() as caretaker:
            before = caretaker.migrate(anyway=anyway)
            if not before.missing:
                _good(f"{caretaker.where}: the schema is {before.wanted} already, nothing was to be done")
                return
            steps = counted(len(before.missing), "migration")
            _good(f"{caretaker.where}: schema {before.found or 'none'} → {before.wanted} ({steps})")

    @app.command()
    def check() -> None:
        """Look for what is wrong: schema, damaged pages, rows without their run, contents missing or damaged."""
        bad = 0
        with caring() as caretaker:
            for fault in caretaker.faults():
                bad += 1
                screen.out().print(f"[failed]✗[/failed] {escape(fault)}", soft_wrap=True)
            if not bad:
                _good(f"{caretaker.where}: all is well")
                _show(caretaker.inventory())
        if bad:
            screen.out().print(f"\n{counted(bad, 'problem')}.")
            raise typer.Exit(exit_codes.FAILED)

    @app.command()
    def vacuum(
        anyway: Annotated[bool, typer.Option("--anyway", help="A large SQLite file, while workers wait.")] = False,
    ) -> None:
        """Remove stored contents that nobody refers to, and give unused room back."""
        with caring() as caretaker:
            done = caretaker.tidy(anyway=anyway)
            room = f"{size(done.before)} → {size(done.after)}"
            _good(f"{caretaker.where}: {room}, {size(max(0, done.before - done.after))} won")
            swept = done.swept
            _good(f"contents: {size(swept.size)} won, {swept.contents:,} removed that nobody refers to")

    @app.command()
    def backup(file: Annotated[str, typer.Argument(help="A file that does not exist yet.")]) -> None:
        """Copy a SQLite database as it is now, while workers write."""
        if not file.strip() or "\0" in file:
            raise InputError("no file is named", where="FILE", mend="Write `remit db backup remit-backup.db`.")
        with caring() as caretaker:
            written = caretaker.back_up(Path(file).absolute())
        _good(f"{file}: {size(written)}. Copy the folder of contents after it: {caretaker.contents}")

    return app


def _show(found: Inventory) -> None:
    rows = ", ".join(f"{name} {count:,}" for name, count in found.rows.items() if count)
    screen.out().print(f"  rows: {rows or 'none'}", soft_wrap=True)
    contents = f"{found.contents:,} of {size(found.size)}"
    unused = f", {found.unused:,} of {size(found.unused_size)} that nobody refers to" if found.unused else ""
    screen.out().print(f"  contents: {contents}{unused}", soft_wrap=True)


def _good(line: str) -> None:
    screen.out().print(f"[done]✓[/done] {escape(line)}", soft_wrap=True)
