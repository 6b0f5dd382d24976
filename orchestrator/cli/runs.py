"""`remit runs`: what was asked for, how it goes, what came of it."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from orchestrator.cli import exit_codes, progress, screen
from orchestrator.cli.desk import Wiring
from orchestrator.cli.effects import table
from orchestrator.cli.finish import Wanted, finish
from orchestrator.cli.follow import follow
from orchestrator.cli.run_command import AsJson, Out, Quiet, manner
from orchestrator.domain.effect import EffectIntent
from orchestrator.domain.step import Step
from orchestrator.engine.services.reading import Progress, Work

RunId = Annotated[str, typer.Argument(metavar="RUN", help="The run's id, or its beginning.")]


def runs_app(wiring: Wiring) -> typer.Typer:
    """The command group."""
    app = typer.Typer(no_args_is_help=True, help="Runs: list, show, logs, result, cancel, prune.")

    @app.command("list")
    def list_(
        limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000)] = 20, as_json: AsJson = False
    ) -> None:
        """List the newest runs."""
        with wiring.reading() as desk:
            found = desk.reader.runs(desk.scope, limit)
        if as_json:
            rows = [
                {
                    "run": run.id,
                    "team": run.rules.team,
                    "status": state,
                    "created": run.created_at.isoformat(),
                    "goal": run.goal.text,
                }
                for run, state in found
            ]
            print(json.dumps(rows, ensure_ascii=False))  # the result
            return
        if not found:
            screen.out().print('There are no runs yet. Begin with: remit run "GOAL" --team TEAM --input NAME=PATH')
            return
        table = Table(box=None, pad_edge=False, header_style="faint", expand=True)
        for name, width in (("run", 9), ("team", 12), ("status", 9), ("created", 11)):
            table.add_column(name, no_wrap=True, width=width)
        table.add_column("goal", no_wrap=True, overflow="ellipsis", ratio=1)
        for run, state in found:
            table.add_row(run.id, run.rules.team, Text(state, state), f"{run.created_at:%m-%d %H:%M}", run.goal.text)
        screen.out().print(table)

    @app.command()
    def show(run: RunId) -> None:
        """Show a run's plan, where each subtask stands, and what they did to the world."""
        with wiring.reading() as desk:
            now = desk.reader.progress(desk.scope, run)
            effects = desk.reader.effects(desk.scope, run)
        _show(now, effects)

    @app.command()
    def logs(run: RunId, as_json: AsJson = False) -> None:
        """Show every step: thoughts, calls, observations, findings."""
        with wiring.reading() as desk:
            work = desk.reader.work(desk.scope, run)
        if as_json:
            for one in work:
                for step in one.steps:
                    line = {"subtask": one.subtask.key, **step.model_dump(mode="json")}
                    print(json.dumps(line, ensure_ascii=False))  # the result
            return
        for one in work:
            _show_work(one)

    @app.command()
    def result(run: RunId, out: Out = None, as_json: AsJson = False, quiet: Quiet = False) -> None:
        """Show a run's result as it is now, or write its files."""
        with wiring.reading() as desk:
            id_ = desk.reader.progress(desk.scope, run).run.id
            code = finish(desk, id_, Wanted(out, as_json, quiet))
        raise typer.Exit(code)

    @app.command()
    def cancel(
        run: RunId,
        reason: Annotated[str, typer.Option("--reason")] = "cancelled by hand",
        detach: Annotated[bool, typer.Option("--detach", help="Do not wait until what it did is undone.")] = False,
    ) -> None:
        """Stop a run within one step, everywhere; what it did is undone, if its team says so."""
        with wiring.reading() as desk:
            ended = desk.reader.cancel(desk.scope, run, reason, desk.actor)
        if ended.status == "cancelled":
            screen.err().print(f"{ended.id} is cancelled.")
            return
        screen.err().print(f"{ended.id} has stopped; what it did is being undone.")
        if not detach:
            raise typer.Exit(_stay_until_undone(wiring, ended.id))

    return app


def _show(now: Progress, effects: Sequence[EffectIntent]) -> None:
    console = screen.out()
    console.print(now.run.goal.text, markup=False)
    console.print(progress.render(now, datetime.now(UTC)))
    if effects:
        console.print(table(effects))
    if now.run.outcome:
        console.print(f"[faint]{escape(now.run.outcome.reason)}[/faint]")


def _stay_until_undone(wiring: Wiring, run_id: str) -> int:
    """Follow a run that is being undone; 0 when it is cancelled, 3 when a person is asked."""
    wanted = Wanted(None, as_json=False, quiet=False)
    with wiring.working() as desk:
        follow(desk, run_id, manner(wanted, no_ask=False))
        now = desk.reader.progress(desk.scope, run_id).run
        if now.outcome is None:
            return finish(desk, run_id, wanted)
    screen.err().print(f"{run_id} is cancelled.")
    screen.out().print(now.outcome.reason, markup=False, highlight=False)
    return exit_codes.DONE


def _show_work(work: Work) -> None:
    console = screen.out()
    one = work.subtask
    console.print(
        Text.assemble((f"\n{one.key}", "strong"), f"  {one.spec.title}  ", (str(one.status), str(one.status)))
    )
    for step in work.steps:
        _show_step(step)
    if work.finding:
        refs = f"  {', '.join(work.finding.evidence)}" if work.finding.evidence else ""
        console.print(Text(f"  → {work.finding.ending}: {work.finding.text[:500]}{refs}", str(one.status)))


def _show_step(step: Step) -> None:
    console = screen.out()
    if step.kind == "notice":
        console.print(Text(f"  {step.n}. {step.text[:600]}", "waiting"))
        return
    said = step.thought or ("" if step.calls else step.text[:300])
    console.print(Text.assemble(f"  {step.n}. ", (said, "faint")))
    results = {result.call_id: result for result in step.results}
    for call in step.calls:
        arguments = json.dumps(call.arguments, ensure_ascii=False)
        console.print(Text.assemble("     ", (call.tool, "running"), f" {arguments[:300]}"))
        got = results.get(call.id)
        if got is None:
            console.print(Text("       open", "waiting"))
        else:
            console.print(Text(f"       {got.ref or ''} {got.shown[:300]}", "faint" if got.ok else "failed"))
