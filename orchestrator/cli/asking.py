"""Asking the person at the terminal: a ticket as a question, its choices as numbers."""

from rich.markup import escape
from rich.panel import Panel
from rich.prompt import Prompt

from orchestrator.cli import screen
from orchestrator.domain.ticket import Ticket, accepted
from orchestrator.errors import TicketError

LATER = "later"


def card(ticket: Ticket) -> Panel:
    """A ticket as people read it."""
    lines = [escape(ticket.question)]
    if ticket.tried:
        lines += ["", f"[faint]{escape(ticket.tried)}[/faint]"]
    if ticket.choices:
        lines.append("")
    for position, choice in enumerate(ticket.choices, start=1):
        default = "  [faint](default)[/faint]" if choice.value == ticket.default else ""
        lines.append(
            f"  [strong]{position}[/strong]  {escape(choice.label)}  [faint]{escape(choice.value)}[/faint]{default}"
        )
    if ticket.deadline:
        lines += ["", f"[faint]until {ticket.deadline:%Y-%m-%d %H:%M} UTC[/faint]"]
    if ticket.status != "open":
        by = ticket.answered_by.id if ticket.answered_by else "nobody"
        lines += ["", f"{ticket.status}: [strong]{escape(ticket.answer or '—')}[/strong] by {escape(by)}"]
        lines += [f"[faint]{escape(ticket.comment)}[/faint]"] if ticket.comment else []
    title = f"{ticket.id}  {ticket.kind}"
    if ticket.evidence:
        title += f"  {', '.join(ticket.evidence)}"
    return Panel("\n".join(lines), title=escape(title), title_align="left", border_style=_style(ticket), expand=False)


def _style(ticket: Ticket) -> str:
    return "waiting" if ticket.status == "open" else "faint"


def ask(ticket: Ticket) -> tuple[str, str] | None:
    """Ask about one ticket until the answer fits; None when the person leaves it for later."""
    console = screen.err()
    console.print(card(ticket))
    hint = "number or value" if ticket.choices else ticket.answer_type
    while True:
        try:
            given = Prompt.ask(f"Answer ({hint}; {LATER} to leave it open)", console=console).strip()
        except (EOFError, KeyboardInterrupt):
            console.print()
            return None
        if given.casefold() == LATER:
            return None
        try:
            return accepted(ticket, given), ""
        except TicketError as error:
            console.print(f"[failed]{escape(str(error))}[/failed]")
