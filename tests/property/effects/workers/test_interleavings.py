"""Two workers, one store and a model of the world outside: whatever dies, stops, comes twice or is lost, nothing is
done twice unless `verify` or a person said in between that it was not done."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, cast

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

PLACES = 10
EXAMPLES = {"sqlite": 60, "postgres": 15}


class Interleavings(RuleBasedStateMachine):
    """Every way in which two workers, the clock, the sweeper and people can come in between one another."""

    def __init__(self, staged: Callable[[], AbstractContextManager[Any]]) -> None:
        super().__init__()
        self._context = staged()
        self.stage = self._context.__enter__()

    @rule(which=st.integers(0, 1), steps=st.integers(1, 5))
    def go_on(self, which: int, steps: int) -> None:
        """A worker goes on, or takes a wake-up: the same one may come many times, at any time."""
        for _ in range(steps):
            worker = self.stage.workers[which]
            if worker.frozen:
                return
            if worker.busy:
                worker.puppet.tell("go")
            else:
                self.stage.idle(which).wake()

    @rule(which=st.integers(0, 1), place=st.integers(0, PLACES - 1))
    def go_to(self, which: int, place: int) -> None:
        """A worker goes on until it is there, or its turn is over."""
        worker = self.stage.workers[which]
        if worker.frozen:
            return
        if not worker.busy:
            worker = self.stage.idle(which)
            worker.wake()
        while worker.busy:
            worker.puppet.tell("go")
            if worker.puppet.place == self.stage.outside.places[place]:
                return

    @rule(which=st.integers(0, 1), spans=st.sampled_from([(45,), (45, 18), (45, 45)]))
    def be_overtaken(self, which: int, spans: tuple[int, ...]) -> None:
        """A worker stops so long that the other one takes its work over, and then goes on."""
        self.stage.be_overtaken(which, spans)

    @rule(which=st.integers(0, 1))
    def fail(self, which: int) -> None:
        """The database is away, a commit's or a call's answer is lost."""
        worker = self.stage.workers[which]
        if worker.busy and not worker.frozen:
            worker.puppet.tell("fail")

    @rule(which=st.integers(0, 1))
    def crash(self, which: int) -> None:
        """SIGKILL, wherever the worker is."""
        if self.stage.workers[which].busy:
            self.stage.crash(which)

    @rule(which=st.integers(0, 1))
    def be_told_to_stop(self, which: int) -> None:
        """SIGTERM, and the turn does not end in the time it has: given up wherever it is, it runs on for a moment."""
        worker, other = self.stage.workers[which], self.stage.workers[1 - which]
        if worker.busy and not worker.frozen and worker.holds:
            worker.leave()
            if not other.busy and not other.frozen:
                self.stage.idle(1 - which).wake()

    @rule(which=st.integers(0, 1))
    def freeze_or_thaw(self, which: int) -> None:
        """SIGSTOP and SIGCONT."""
        worker = self.stage.workers[which]
        worker.frozen = not worker.frozen

    @rule(seconds=st.sampled_from([3, 12, 45, 90]))
    def pass_time(self, seconds: int) -> None:
        """Time passes, shorter and longer than grace, deadline and lease."""
        self.stage.pass_time(seconds)
        self.stage.sweep()

    @rule(sure=st.booleans())
    def know(self, sure: bool) -> None:
        """Whether `verify` can tell."""
        self.stage.world.sure = sure

    @precondition(lambda self: bool(self.stage.open_tickets()))
    @rule(choice=st.sampled_from(["happened", "not_done", "stop", None, None]))
    def answer(self, choice: str | None) -> None:
        """A person answers, truthfully or not."""
        self.stage.answer(self.stage.open_tickets()[0], choice)

    @rule()
    def stray(self) -> None:
        """A worker's keeper looks for what its turns left."""
        for worker in self.stage.workers:
            if not worker.busy and not worker.frozen:
                worker.stray()

    @invariant()
    def nothing_twice(self) -> None:
        """At any time."""
        assert self.stage.world.twice() == {}
        assert self.stage.world.begun_too_late == []

    def teardown(self) -> None:
        """In the end everything is done, once, or somebody was asked."""
        try:
            self.stage.world.sure = True
            self.stage.settle()
            self.stage.check()
        finally:
            self._context.__exit__(None, None, None)


def test_interleavings(staged: Callable[[], AbstractContextManager[Any]], database: str) -> None:
    """Nothing happens twice, and in the end everything is done or somebody was asked."""
    rules = settings(
        max_examples=EXAMPLES[database],
        stateful_step_count=40,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    machine = cast("type[RuleBasedStateMachine]", partial(Interleavings, staged))
    run_state_machine_as_test(machine, settings=rules)
