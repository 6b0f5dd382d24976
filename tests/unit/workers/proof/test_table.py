"""The table has room in narrow and in wide terminals, and says of each point what came of it."""

from io import StringIO

import pytest
from rich.console import Console

from workers.chaos.hits import Tally
from workers.chaos.points import LETTERS, POINTS
from workers.proof.rounds import Round
from workers.proof.table import as_json, drawn

MANY = dict.fromkeys(LETTERS, 1234)


def played(number: int, broken: tuple[str, ...] = (), **met: Tally) -> Round:
    """A round in which `met` happened; its keys have `_` for the dots."""
    named = {name.replace("_", "."): tally for name, tally in met.items()}
    tallies = {name: named.get(name, Tally(0, {})) for name in POINTS}
    return Round(number=number, seed=1, seconds=1.0, tallies=tallies, answered=0, cancelled=1, broken=broken, home=None)


def shown(rounds: list[Round], width: int) -> list[str]:
    """The lines of the table."""
    console = Console(width=width, file=StringIO(), color_system=None)
    console.print(drawn(rounds, width))
    assert isinstance(console.file, StringIO)
    return console.file.getvalue().splitlines()


@pytest.mark.parametrize("width", [60, 80, 100, 110, 120, 200])
def test_every_point_has_its_whole_name(width: int) -> None:
    """Nothing is cut off, however much was met."""
    rounds = [played(1, ("it broke",), **{name.replace(".", "_"): Tally(123456, MANY) for name in POINTS})]
    lines = shown(rounds, width)
    assert all(len(line.rstrip()) <= width for line in lines)
    assert not any("…" in line for line in lines)
    assert {line.split()[0] for line in lines if line[:1].strip()} >= {*POINTS, "all"}


def test_what_is_said_of_a_point() -> None:
    """Held, broken with the round, not met, not reached; and all of it added up."""
    rounds = [
        played(1, claim_before=Tally(10, {"kill": 2, "term": 1}), read=Tally(5, {})),
        played(2, ("lost",), claim_before=Tally(7, {"kill": 1}), receive=Tally(1, {"lose": 1})),
    ]
    lines = {line.split()[0]: " ".join(line.split()) for line in shown(rounds, 80)}
    assert lines["claim.before"] == "claim.before 17 3 kill, 1 term round 2 broke"
    assert lines["receive"] == "receive 1 1 lose round 2 broke"
    assert lines["read"] == "read 5 not met"
    assert lines["claim.after"] == "claim.after 0 not reached"
    assert lines["all"] == "all 23 3 kill, 1 term, 1 lose"
    wide = {line.split()[0]: " ".join(line.split()) for line in shown(rounds, 120)}
    assert wide["claim.before"] == "claim.before 17 3 · 1 · · · · · · round 2 broke"
    assert as_json(rounds)["points"]["claim.before"]["faults"] == {"kill": 3, "term": 1}
