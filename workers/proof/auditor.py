"""The auditor: looks again and again, while runs go on, whether a budget is exceeded; ended runs have none any more."""

from collections.abc import Sequence
from contextlib import suppress

from orchestrator.errors import OutsideError
from workers.proof.stage import Stage


class Auditor:
    """Remembers what was exceeded, once each account and kind."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._found: dict[tuple[str, str], str] = {}

    @property
    def exceeded(self) -> Sequence[str]:
        """One line for each limit that was exceeded."""
        return list(self._found.values())

    def tick(self, runs: Sequence[str]) -> None:
        """Look at the budgets of all runs."""
        with suppress(OutsideError):
            for one in (standing for run in runs for standing in self._stage.opened.store.standing(run)):
                total = one.spent + one.reserved
                if one.most is not None and total > one.most:
                    what = f"run {one.id}: {total} {one.kind} are used or set aside, {one.most} are allowed"
                    self._found[one.id, one.kind] = what
