"""`remit tickets`: what waits for a person, and answering it."""

import json
from typing import Annotated

import typer
from rich.table import Table

from orchestrator.cli import screen
from orchestrator.cli.asking import card
from orchestrator.cli.desk import Wiring
from orchestrator.cli.finish import Wanted, check_out, finish, remembered_out
from orchestrator.cli.follow import follow
from orchestrator.cli.run_command import AsJson, NoAsk, Out, Quiet, manner
from orchestrator.domain.ticket import Ticket


def tickets_app(wiring: Wiring) -> typer.Typer:
    """The command group."""
    app = typer.Typer(no_args_is_help=True, help="Questions for people: list, show, answer.")

    @app.command("list")
    def list_(
        run: Annotated[str | None, typer.Option("--run", help="Only of this run.")] = None,
        everything: Annotated[bool, typer.Option("--all", help="Closed ones too.")] = False,
        as_json: AsJson = False,
    ) -> None:
        """List open tickets."""
        with wiring.reading() as desk:
            found = desk.reader.tickets(desk.scope, run_id=run, all_of_them=everything)
        if as_json:
            _print_json([_as_json(ticket) for ticket in found])
        elif not found:
            screen.out().print("No ticket is open." if not everything else "There are no tickets.")
        else:
            screen.out().print(_table(list(found)))

    @app.command()
    def show(ticket: Annotated[str, typer.Argument()], as_json: AsJson = False) -> None:
        """Show one ticket with its choices."""
        with wiring.reading() as desk:
            found = desk.reader.ticket(desk.scope, ticket)
        if as_json:
            _print_json(_as_json(found))
        else:
            screen.out().print(card(found))

    @app.command()
    def answer(
        ticket: Annotated[str, typer.Argument(help="The ticket's id.")],
        value: Annotated[str, typer.Argument(metavar="ANSWER", help="A choice's value, label or number; or the text.")],
        comment: Annotated[str, typer.Option("--comment", help="Why; kept with the answer.")] = "",
        out: Out = None,
        as_json: AsJson = False,
        quiet: Quiet = False,
        no_ask: NoAsk = False,
        detach: Annotated[bool, typer.Option("--detach", help="Answer and end at once.")] = False,
    ) -> None:
        """Answer a ticket, and stay until the run has ended or waits again."""
        check_out(out)
        with wiring.reading() if detach else wiring.working() as desk:
            closed = desk.answers.answer(desk.scope, ticket, value, comment, desk.actor)
            screen.err().print(f"[done]✓[/done] {closed.id}: {closed.answer}", highlight=False)
            if detach:
                return
            wanted = Wanted(out or remembered_out(desk, closed.run_id), as_json, quiet)
            follow(desk, closed.run_id, manner(wanted, no_ask=no_ask))
            code = finish(desk, closed.run_id, wanted)
        raise typer.Exit(code)

    return app


def _table(tickets: list[Ticket]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="faint")
    for name, width in (("ticket", 7), ("run", 9), ("status", 9), ("opened", 11)):
        table.add_column(name, no_wrap=True, width=width)
    table.add_column("question", overflow="fold")
    for one in tickets:
        table.add_row(one.id, one.run_id, one.status, f"{one.opened_at:%m-%d %H:%M}", one.question)
    return table


def _as_json(ticket: Ticket) -> dict[str, object]:
    return ticket.model_dump(mode="json")


def _print_json(value: object) -> None:
    print(json.dumps(value, ensure_ascii=False, allow_nan=False))  # the result
