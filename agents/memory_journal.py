"""The journal in memory: lets an agent work without a store, for tests and for trying agents out."""

from collections.abc import Callable, Sequence

from agents.journal import Again, Attempt, Later
from agents.toolbox import Asked, Observed, Uncertain
from orchestrator.domain.step import Step, StepCall
from orchestrator.ports.clock import Deadline

SECONDS = 30.0


class MemoryJournal:
    """Keeps what the loop writes. `answers` stands for what people said: call id → observation."""

    def __init__(self, steps: Sequence[Step] = ()) -> None:
        self.steps = list(steps)
        self.intended: list[tuple[int, str]] = []
        self.uncertain: list[Uncertain] = []
        self.observed: dict[str, Observed] = {}
        self.answers: dict[str, Observed] = {}
        self.recoveries: dict[str, Asked | Again | Later] = {}
        self.taken: Callable[[], bool] = lambda: False
        self.yields: Callable[[], bool] = lambda: False

    def save(self, step: Step, done: Sequence[Observed | Uncertain]) -> None:
        """Keep a step; a later one of the same number completes it."""
        self.steps = [one for one in self.steps if one.n != step.n] + [step]
        self.observed.update({one.ref: one for one in done if isinstance(one, Observed)})
        self.uncertain += [one for one in done if isinstance(one, Uncertain)]

    def intend(self, step: Step, call: StepCall, done: Sequence[Observed | Uncertain]) -> Attempt:
        """Keep the step and which call was announced."""
        self.save(step, done)
        self.intended.append((step.n, call.id))
        return Attempt(Deadline.after(SECONDS), lambda: None)

    def begin(self) -> None:
        """Nobody else can have claimed what is only here."""

    def recover(self, step: Step, call: StepCall, ref: str) -> Observed | Asked | Again | Later:
        """What was said of an open call; without a word it is begun again."""
        del step, ref
        return self.answers.get(call.id) or self.recoveries.get(call.id) or Again()

    def key(self, step: int, call_id: str) -> str:
        """A key for the call."""
        return f"memory#{step}.{call_id}"

    def lost(self) -> bool:
        """Whether the subtask was taken away."""
        return self.taken()

    def must_yield(self) -> bool:
        """Whether the turn is over."""
        return self.yields()
