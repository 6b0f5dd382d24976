"""The quitter: hands runs in and calls them off in the middle, when they have asked for so many deeds."""

import random
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress

from orchestrator.errors import InputError, OutsideError
from workers.proof.asked import Asked
from workers.proof.stage import Stage

REASON = "It is not wanted any more."
DEEDS_AN_ORDER = 4


class Quitter:
    """Called again and again while a round goes on."""

    def __init__(self, stage: Stage, patience: Mapping[str, int]) -> None:
        """`patience`: run → the number of requests to the outer system after which it is called off."""
        self._stage = stage
        self._patience = dict(patience)

    @property
    def unwanted(self) -> Collection[str]:
        """Runs that are still to be called off."""
        return self._patience.keys()

    def tick(self) -> None:
        """Cancel what has gone far enough. A database that is broken just now is told again with the next tick."""
        if not self._patience:
            return
        asked = dict.fromkeys(self._patience, 0)
        for deed in self._stage.ledger.deeds():
            if deed.run in asked:
                asked[deed.run] += deed.asked
        for run, count in asked.items():
            if count >= self._patience[run]:
                with suppress(OutsideError):
                    self._cancel(run)
                    del self._patience[run]

    def _cancel(self, run_id: str) -> None:
        with suppress(InputError):  # it was cancelled though the confirmation was lost
            self._stage.opened.reader.cancel(self._stage.scope, run_id, REASON, self._stage.actor)


def patience(asked: Asked, number: int, run_ids: Sequence[str]) -> Mapping[str, int]:
    """When each of the runs is called off, drawn from the seed: after its first deed, or any other."""
    most = DEEDS_AN_ORDER * asked.orders
    draw = random.Random(f"{asked.seed}/{number}/cancel")  # noqa: S311  # repeatable, no secret
    return {run_id: draw.randint(1, most) for run_id in run_ids}
