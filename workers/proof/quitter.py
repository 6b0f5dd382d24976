"""The quitter: hands runs in and calls them off in the middle, when they have asked for so many deeds."""

import random
from collections.abc import Collection, Mapping, Sequence

from workers.proof.asked import Asked
from workers.proof.errand import Errand
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
        """Cancel what has gone far enough."""
        if not self._patience:
            return
        asked = dict.fromkeys(self._patience, 0)
        for deed in self._stage.ledger.deeds():
            if deed.run in asked:
                asked[deed.run] += deed.asked
        for run, count in asked.items():
            if count >= self._patience[run] and self._cancelled(run):
                del self._patience[run]

    def _cancelled(self, run_id: str) -> bool:
        """False where nobody knows: it is told again with the next tick."""
        stage = self._stage
        errand = Errand(what="cancel", scope=stage.scope, actor=stage.actor, about=run_id, said=REASON)
        return stage.errands.done(errand)


def patience(asked: Asked, number: int, run_ids: Sequence[str]) -> Mapping[str, int]:
    """When each of the runs is called off, drawn from the seed: after its first deed, or any other."""
    most = DEEDS_AN_ORDER * asked.orders
    draw = random.Random(f"{asked.seed}/{number}/cancel")  # noqa: S311  # repeatable, no secret
    return {run_id: draw.randint(1, most) for run_id in run_ids}
