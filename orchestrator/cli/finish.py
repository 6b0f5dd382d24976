"""Finishing: write the result where it is wanted, show it, and say how it goes on."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

from rich.markup import escape

from orchestrator.cli import exit_codes, screen
from orchestrator.cli.asking import card
from orchestrator.cli.desk import Desk
from orchestrator.cli.report_screen import shown
from orchestrator.domain.budget_words import no_price
from orchestrator.domain.run import RunState
from orchestrator.engine.services.results import Result, export
from orchestrator.errors import InputError


@dataclass(frozen=True, slots=True)
class Wanted:
    """How the result is wanted: files in `out`, JSON as the last line of standard output, or nothing on the screen."""

    out: Path | None
    as_json: bool
    quiet: bool


def check_out(out: Path | None) -> None:
    """Raises InputError when the result could not be written there: known before any work is done."""
    if out is None:
        return
    nearest = next(folder for folder in (out.absolute(), *out.absolute().parents) if folder.exists())
    if not nearest.is_dir():
        raise InputError("this is a file, a folder is wanted", where=str(nearest), mend="Name another folder.")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise InputError("nothing can be written here", where=str(nearest), mend="Name another folder.")


def remember_out(desk: Desk, run_id: str, out: Path | None) -> None:
    """Remember the folder, so that answering a ticket later brings it up to date."""
    if out is not None:
        desk.exports.mkdir(parents=True, exist_ok=True, mode=0o700)
        note = desk.exports / run_id
        note.touch(mode=0o600)
        note.write_text(str(out.absolute()), encoding="utf-8")


def remembered_out(desk: Desk, run_id: str) -> Path | None:
    """The folder that the run's results were wanted in, if it was said on this machine."""
    path = desk.exports / run_id
    return Path(path.read_text(encoding="utf-8")) if path.is_file() else None


def finish(desk: Desk, run_id: str, wanted: Wanted) -> int:
    """Write and show the result of a run as it is now; the exit code."""
    result = desk.results.result(desk.scope, run_id)
    if wanted.out is not None:
        export(result, wanted.out)
    if wanted.as_json:
        print(json.dumps(result.data, ensure_ascii=False, allow_nan=False), flush=True)  # the result
    elif not wanted.quiet:
        _show(desk, run_id, result, wanted.out)
    return exit_codes.of(result.state)


def _show(desk: Desk, run_id: str, result: Result, out: Path | None) -> None:
    console = screen.out()
    console.print()
    console.print(shown(result.report, console))
    console.print()
    if out is not None:
        names = ", ".join(sorted(result.files))
        console.print(f"[faint]Written to {escape(str(out))}: {escape(names)}[/faint]")
    else:
        console.print(f"[faint]Files: {screen.program()} runs result {run_id} --out DIR[/faint]")
    if worst := result.data.get("usage", {}).get("counted_at_worst_price"):
        console.print(f"[faint]{escape(no_price(worst['models'], worst['price']))} (REMIT_WORST_PRICE)[/faint]")
    _say_state(desk, run_id, result.state, result.reason)


def _say_state(desk: Desk, run_id: str, state: RunState, reason: str) -> None:
    console = screen.out()
    if state == "waiting":
        tickets = desk.reader.tickets(desk.scope, run_id=run_id, all_of_them=False)
        plural = "s" if len(tickets) != 1 else ""
        done = "All that can be done without an answer is done."
        console.print(f"\n[waiting]{len(tickets)} question{plural} for a person.[/waiting] {done}\n")
        for ticket in tickets:
            console.print(card(ticket))
        for ticket in tickets:
            answer, hint = ("1", f"or 2 to {len(ticket.choices)}") if ticket.choices else ("'your answer'", "")
            command = f"  {screen.program()} tickets answer {ticket.id} {answer}"
            console.print(f"{escape(command)}  [faint]{hint}[/faint]", soft_wrap=True)
        return
    word = {"done": "Done", "failed": "Failed", "limit": "A limit was reached", "cancelled": "Cancelled"}.get(
        state, state
    )
    why = f": {escape(reason.rstrip('.'))}." if reason else "."
    console.print(f"[{state}]{word}[/{state}]{why} [faint]Run {run_id}[/faint]")
