"""A proof on the screen: a line for each round, then the table."""

import json
import signal
from collections.abc import Sequence
from contextlib import closing, suppress
from types import FrameType

from rich.markup import escape

from orchestrator.cli import exit_codes, screen
from workers.proof.asked import Asked
from workers.proof.rounds import Round, prove
from workers.proof.table import as_json as outcome_as_json
from workers.proof.table import drawn, kills


def played(asked: Asked, *, as_json: bool) -> int:
    """Play all rounds and show what came of them; the exit code."""
    console = screen.err()
    rounds: list[Round] = []
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        with console.status("[faint]an undisturbed run first …[/faint]") as status, closing(prove(asked)) as proof:
            for one in proof:
                rounds.append(one)
                status.update(f"[faint]{len(rounds)} of {asked.rounds}[/faint]")
                console.print(_line(one, asked))
    except KeyboardInterrupt:
        if rounds and not as_json:
            _show(rounds)
        raise
    finally:
        signal.signal(signal.SIGTERM, before)
        with suppress(OSError):  # homes of rounds that failed are kept
            asked.folder.rmdir()
    if as_json:
        print(json.dumps(outcome_as_json(rounds), ensure_ascii=False), flush=True)
    else:
        _show(rounds)
    return exit_codes.DONE if all(one.held for one in rounds) else exit_codes.FAILED


def _interrupt(number: int, frame: FrameType | None) -> None:
    """What else is told to end leaves no more behind than at Ctrl-C."""
    del number, frame
    raise KeyboardInterrupt


def _show(rounds: Sequence[Round]) -> None:
    out = screen.out()
    out.print()
    out.print(drawn(rounds, out.width))
    out.print(f"\n{kills(rounds)} kills; {'everything held' if all(one.held for one in rounds) else 'broken'}")


def _line(one: Round, asked: Asked) -> str:
    faults = sum(sum(tally.faults.values()) for tally in one.tallies.values())
    killed = sum(tally.faults.get("kill", 0) for tally in one.tallies.values())
    said = f"round {one.number}: {faults} faults, {killed} of them kills, {one.answered} tickets, "
    said += f"{one.cancelled} cancelled, {one.seconds:.1f} s"
    if one.held:
        return f"[done]✓[/done] {said}"
    why = "\n".join(f"    {escape(line)}" for line in one.broken)
    again = f"    kept in {escape(str(one.home))}; repeat: --seed {one.seed} --first {one.number} --rounds 1"
    return f"[failed]✗[/failed] {said}\n{why}\n{again} --faults {asked.faults}"
