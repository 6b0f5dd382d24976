"""The table of a proof: each point, how often it was hit, what was met there, and whether everything held."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table

from workers.chaos.hits import Tally
from workers.chaos.points import LETTERS, POINTS, Fault
from workers.proof.rounds import Round

_WIDE = 110
"""Columns of a terminal in which the widest table has room."""


def summed(rounds: Sequence[Round]) -> Mapping[str, Tally]:
    """The hits and faults of all rounds together."""
    return {name: _together([one.tallies[name] for one in rounds]) for name in POINTS}


def drawn(rounds: Sequence[Round], width: int) -> Table:
    """The table as it is printed: a column for each fault, or all of them in words where those would be cut off."""
    wide = width >= _WIDE
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("fault point", no_wrap=True)
    table.add_column("hit", justify="right", no_wrap=True)
    for fault in LETTERS if wide else ():
        table.add_column(fault, justify="right", no_wrap=True)
    if not wide:
        table.add_column("met")
    table.add_column("outcome")
    tallies = summed(rounds)
    for name, tally in tallies.items():
        table.add_row(name, str(tally.hits), *_met(tally, wide=wide), _outcome(name, rounds))
    table.add_section()
    everything = _together(list(tallies.values()))
    table.add_row("all", str(everything.hits), *_met(everything, wide=wide), "", style="bold")
    return table


def _met(tally: Tally, *, wide: bool) -> Sequence[str]:
    if wide:
        return [str(tally.faults.get(fault) or "·") for fault in LETTERS]
    return [", ".join(f"{count} {fault}" for fault, count in tally.faults.items())]


def _together(tallies: Sequence[Tally]) -> Tally:
    hits = sum(one.hits for one in tallies)
    counts: Mapping[Fault, int] = {fault: sum(one.faults.get(fault, 0) for one in tallies) for fault in LETTERS}
    return Tally(hits, {fault: count for fault, count in counts.items() if count})


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
                "cancelled": one.cancelled,
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
