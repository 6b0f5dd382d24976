"""The table of a proof: each point, how often it was hit, what was met there, and whether everything held."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table

from workers.chaos.hits import Tally
from workers.chaos.points import LETTERS, POINTS, Fault
from workers.proof.rounds import Round


def summed(rounds: Sequence[Round]) -> Mapping[str, Tally]:
    """The hits and faults of all rounds together."""
    found: dict[str, Tally] = {}
    for name in POINTS:
        faults = Counter[Fault]()
        for one in rounds:
            faults.update(one.tallies[name].faults)
        found[name] = Tally(sum(one.tallies[name].hits for one in rounds), faults)
    return found


def drawn(rounds: Sequence[Round]) -> Table:
    """The table as it is printed."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("fault point")
    table.add_column("hit", justify="right")
    for fault in LETTERS:
        table.add_column(fault, justify="right")
    table.add_column("outcome")
    tallies = summed(rounds)
    for name, tally in tallies.items():
        counts = [str(tally.faults.get(fault) or "·") for fault in LETTERS]
        table.add_row(name, str(tally.hits), *counts, _outcome(name, rounds))
    totals = [str(sum(one.faults.get(fault, 0) for one in tallies.values())) for fault in LETTERS]
    table.add_section()
    table.add_row("all", str(sum(one.hits for one in tallies.values())), *totals, "", style="bold")
    return table


def as_json(rounds: Sequence[Round]) -> dict[str, Any]:
    """The same as JSON data."""
    tallies = summed(rounds)
    return {
        "held": all(one.held for one in rounds),
        "kills": kills(rounds),
        "points": {
            name: {"hits": one.hits, "faults": dict(one.faults), "outcome": _outcome(name, rounds)}
            for name, one in tallies.items()
        },
        "rounds": [
            {
                "round": one.number,
                "seed": one.seed,
                "seconds": round(one.seconds, 1),
                "tickets": one.answered,
                "broken": list(one.broken),
                "home": str(one.home) if one.home else None,
            }
            for one in rounds
        ],
    }


def kills(rounds: Sequence[Round]) -> int:
    """How often something was killed."""
    return sum(one.faults.get("kill", 0) for one in summed(rounds).values())


def _outcome(name: str, rounds: Sequence[Round]) -> str:
    met = [one for one in rounds if one.tallies[name].faults]
    if not met:
        return "not met" if any(one.tallies[name].hits for one in rounds) else "not reached"
    failed = [str(one.number) for one in met if not one.held]
    return f"round {', '.join(failed)} broke" if failed else "held"
