"""`remit runs prune`: ended runs that are old are removed, with all that hangs on them."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated

import typer

from orchestrator.cli import screen
from orchestrator.cli.amounts import size, span
from orchestrator.cli.database import OpenCare
from orchestrator.domain.counting import counted


def prune_command(caring: OpenCare) -> Callable[..., None]:
    """The function behind `remit runs prune`."""

    def prune(
        older: Annotated[
            str, typer.Option("--older", metavar="SPAN", help="Ended longer ago than this: 90d, 12h, 8w.")
        ],
        dry_run: Annotated[
            bool, typer.Option("--dry-run", help="Say what would be removed, and remove nothing.")
        ] = False,
    ) -> None:
        """Remove runs that ended long ago: steps, findings, tickets, audit, and contents that only they refer to."""
        before = datetime.now(UTC) - span(older, "--older")
        runs = subtasks = 0
        with caring() as caretaker:
            if dry_run:
                for old in caretaker.old_runs(before):
                    print(old.run_id)  # the result
                    runs, subtasks = runs + 1, subtasks + old.subtasks
                _say(f"{counted(runs, 'run')} with {counted(subtasks, 'subtask')} would be removed")
                return
            contents = traces = room = 0
            for done in caretaker.prune(before):
                runs, subtasks = runs + done.runs, subtasks + done.subtasks
                contents, room = contents + done.swept.contents, room + done.swept.size
                traces += done.traces
        _say(
            f"{counted(runs, 'run')} with {counted(subtasks, 'subtask')} removed, "
            f"{counted(contents, 'stored content')} of {size(room)}, {counted(traces, 'trace file')}"
        )

    return prune


def _say(line: str) -> None:
    screen.err().print(f"[done]✓[/done] {line}", soft_wrap=True)
