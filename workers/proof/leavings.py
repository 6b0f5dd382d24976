"""The judge of what runs leave behind: a sound database, whole contents, and no row that only a run at work has."""

from collections.abc import Sequence

from orchestrator.domain.counting import counted
from workers.caring import care_of
from workers.proof.stage import Stage

OF_WORK = ("places", "capped_runs")
"""Tables whose rows go with what they are about."""


def leavings(stage: Stage) -> Sequence[str]:
    """One line for whatever is wrong in the whole database, now that every run has ended.

    Seen twice: its connections may have been cut the first time, by the last fault of a round.
    """
    return _seen(stage) and _seen(stage)


def _seen(stage: Stage) -> Sequence[str]:
    with care_of(lambda: stage.settings)() as caretaker:
        faults = list(caretaker.faults())
        rows = {} if faults else caretaker.inventory().rows
    left = [f"{counted(rows[table], 'row')} of {table} are left" for table in OF_WORK if rows.get(table)]
    return [*faults, *left]
