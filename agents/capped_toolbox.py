"""The tools of an agent some of which have a cap: of each of those a turn makes one call at a time."""

from collections.abc import Callable, Collection, Sequence
from threading import Lock

from agents.isolation import Isolation
from agents.toolbox import Asked, Evidence, Observed, Toolbox, Uncertain
from agents.tools.function import Tool
from orchestrator.domain.step import StepCall
from orchestrator.ports.clock import Deadline


class CappedToolbox(Toolbox):
    """So many turns as the cap says are at work; with one call each there are never more calls than that."""

    def __init__(
        self, tools: Sequence[Tool], evidence: Evidence, isolation: Isolation, capped: Collection[str]
    ) -> None:
        """`capped`: names of tools."""
        super().__init__(tools, evidence, isolation)
        self._one_by_one = {name: Lock() for name in capped}

    def run(
        self, call: StepCall, ref: str, deadline: Deadline, key: str, begin: Callable[[], None] = lambda: None
    ) -> Observed | Asked | Uncertain:
        """Answer the call, after those of the same tool that were begun before.

        The time of a call that reads begins only then; the others are made one after another anyway.
        """
        lock = self._one_by_one.get(call.tool)
        if lock is None:
            return super().run(call, ref, deadline, key, begin)
        with lock:
            if self.effect(call) == "read":
                deadline = Deadline.after(self.seconds(call))
            return super().run(call, ref, deadline, key, begin)
