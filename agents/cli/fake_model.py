"""The command `remit fake-model`: serves a scripted model for tests of teams."""

from ipaddress import ip_address
from pathlib import Path
from typing import Annotated

import typer

from orchestrator.errors import UserError

app = typer.Typer(add_completion=False)


@app.command("fake-model")
def fake_model(
    script: Annotated[Path, typer.Argument(help="The script: YAML, or JSON lines (.jsonl) with one rule a line.")],
    port: Annotated[int, typer.Option(help="The port to listen on; 0 takes a free one and prints it.", max=65535)] = 0,
    host: Annotated[str, typer.Option(help="The address to listen on; by default this machine alone.")] = "127.0.0.1",
    log: Annotated[Path | None, typer.Option(help="Append every request to this file, as JSON lines.")] = None,
) -> None:
    """Serve an OpenAI-compatible model that answers from SCRIPT, until interrupted."""
    # The server's libraries are loaded by this command alone, so that the others start faster.
    from agents.fake_model.serving import run_until_told  # noqa: PLC0415

    def ready(bound: int) -> None:
        shown = f"[{host}]" if ":" in host else host
        typer.echo(f"fake-model: {script.name} answers on http://{shown}:{bound}/v1")
        typer.echo(f"Use it with OPENAI_BASE_URL=http://{shown}:{bound}/v1 OPENAI_API_KEY=any REMIT_MODEL=fake")
        if not _is_loopback(host):
            typer.echo("fake-model: anybody who reaches this address can ask it.", err=True)

    try:
        run_until_told(script, host, port, log, ready)
    except UserError as error:
        typer.echo(f"fake-model: {error}", err=True)
        raise typer.Exit(2) from None


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
