"""Following a run: show how it goes until it ends or waits, and ask the person on the spot where there is one."""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime

import typer
from rich.live import Live
from rich.markup import escape

from orchestrator.cli import exit_codes, screen
from orchestrator.cli import progress as pictures
from orchestrator.cli.desk import Desk
from orchestrator.domain.run import RunState
from orchestrator.domain.subtask import Status
from orchestrator.domain.ticket import Ticket
from orchestrator.engine.services.reading import Progress
from orchestrator.errors import TicketError

POLL_SECONDS = 0.15
WATCH_SECONDS = 1.0

Ask = Callable[[Ticket], tuple[str, str] | None]
"""Asks the person about a ticket: answer and comment, or None to leave it open."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How to follow: `live` draws a tree, else a line is written for each change unless `quiet`."""

    live: bool
    quiet: bool
    ask: Ask | None


def follow(desk: Desk, run_id: str, manner: Manner) -> RunState:
    """Stay until the run has ended, or waits for a person that isn't here."""
    with leaving_word(desk, run_id):
        return _follow(desk, run_id, manner)


@contextmanager
def leaving_word(desk: Desk, run_id: str) -> Generator[None]:
    """Who interrupts the block is told what becomes of the run."""
    try:
        yield
    except KeyboardInterrupt:
        screen.err().print(f"Interrupted. Nothing is lost: run {run_id} goes on {desk.goes_on};")
        screen.err().print(f"`remit runs show {run_id}` says how far it is, `remit runs cancel {run_id}` ends it.")
        raise typer.Exit(exit_codes.INTERRUPTED) from None


def _follow(desk: Desk, run_id: str, manner: Manner) -> RunState:
    refused: set[str] = set()
    while True:
        state = _watch(desk, run_id, manner)
        if state != "waiting" or manner.ask is None:
            return state
        asked = desk.reader.tickets(desk.scope, run_id=run_id, all_of_them=False)
        left = [ticket for ticket in asked if ticket.id not in refused]
        if not left:
            return state
        for ticket in left:
            given = manner.ask(ticket)
            if given is None:
                refused.add(ticket.id)
            else:
                _answer(desk, ticket, given)


def _answer(desk: Desk, ticket: Ticket, given: tuple[str, str]) -> None:
    """Hand the answer in; somebody elsewhere may have been first, and then the run goes on by theirs."""
    try:
        desk.answers.answer(desk.scope, ticket.id, given[0], given[1], desk.actor)
    except TicketError as error:
        screen.err().print(f"[failed]{escape(str(error))}[/failed]")


def _watch(desk: Desk, run_id: str, manner: Manner) -> RunState:
    """Show the run until it stops moving."""
    console = screen.err()
    live = Live(console=console, refresh_per_second=8, transient=False) if manner.live else None
    told: list[str] = []
    words: dict[tuple[str, int], str] = {}
    watched = time.monotonic()
    with live or nullcontext():
        while True:
            now = desk.reader.progress(desk.scope, run_id)
            if live:
                live.update(pictures.render(now, datetime.now(UTC), _doing(desk, now, words)))
            elif not manner.quiet:
                told = _tell(now, told)
            if now.state != "running" and not _waits_for_time(now):
                return now.state
            if time.monotonic() - watched > WATCH_SECONDS:
                desk.keep_alive()
                watched = time.monotonic()
            time.sleep(POLL_SECONDS)


def _waits_for_time(now: Progress) -> bool:
    """True when nobody is asked: the run goes on by itself, as after a model that did not answer."""
    return now.state == "waiting" and not any(ticket.status == "open" for ticket in now.tickets)


def _doing(desk: Desk, now: Progress, words: dict[tuple[str, int], str]) -> dict[str, str]:
    """What agents at work said last; read once a step."""
    running = [one for one in now.subtasks if one.status is Status.RUNNING and one.step]
    for one in running:
        if (one.id, one.step) not in words:
            words[one.id, one.step] = desk.reader.last_words(one.id)
    return {one.id: words[one.id, one.step] for one in running}


def _tell(now: Progress, told: list[str]) -> list[str]:
    """Write a line for each subtask that has changed since the last time."""
    lines = pictures.lines(now)
    console = screen.err()
    for line in lines:
        if line not in told:
            console.print(line, markup=False)
    return lines
