"""The auditor: looks again and again, while runs go on, whether a budget or a cap is exceeded."""

from collections.abc import Mapping, Sequence
from contextlib import suppress

from orchestrator.domain.subtask import Status
from orchestrator.errors import OutsideError
from workers.proof.stage import Stage


class Auditor:
    """Remembers what was exceeded, once each account and kind. `caps`: run → its subtasks at work at the same time."""

    def __init__(self, stage: Stage, caps: Mapping[str, int]) -> None:
        self._stage = stage
        self._caps = caps
        self._found: dict[tuple[str, str], str] = {}

    @property
    def exceeded(self) -> Sequence[str]:
        """One line for each limit that was exceeded."""
        return list(self._found.values())

    def tick(self, runs: Sequence[str]) -> None:
        """Look at the budgets and caps of all runs."""
        with suppress(OutsideError):
            for one in (standing for run in runs for standing in self._stage.opened.store.standing(run)):
                total = one.spent + one.reserved
                if one.most is not None and total > one.most:
                    what = f"run {one.id}: {total} {one.kind} are used or set aside, {one.most} are allowed"
                    self._found[one.id, one.kind] = what
            for run, most in self._caps.items():
                at_work = self._at_work(run)
                if at_work > most:
                    self._found[run, "cap"] = f"run {run}: {at_work} subtasks are at work, {most} are allowed"

    def _at_work(self, run: str) -> int:
        """A group does no work of its own."""
        subtasks = self._stage.opened.store.subtasks(run)
        return sum(one.status is Status.RUNNING and one.spec.kind != "group" for one in subtasks)
