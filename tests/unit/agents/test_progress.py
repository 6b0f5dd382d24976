"""Progress is a result that was not there before; repetition and cycles end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.progress import NOTHING_NEW, Progress
from orchestrator.domain.step import Step, StepCall, StepResult


def step(n: int, *calls: tuple[str, int, str]) -> Step:
    """A step with calls: tool, argument, digest of the result."""
    return Step(
        n=n,
        calls=tuple(StepCall(id=f"c{n}.{i}", tool=tool, arguments={"n": a}) for i, (tool, a, _) in enumerate(calls)),
        results=tuple(
            StepResult(call_id=f"c{n}.{i}", ok=True, shown="", digest=d) for i, (_, _, d) in enumerate(calls)
        ),
    )


def ends_at(calls: list[tuple[str, int, str]]) -> int | None:
    """After how many calls the agent is stuck."""
    progress = Progress(())
    for n, call in enumerate(calls, start=1):
        one = step(n, call)
        progress.note(one)
        if progress.stuck(one):
            return n
    return None


@pytest.mark.parametrize(
    ("cycle", "end"),
    [("a", 3), ("ab", 5), ("abc", 7)],
)
def test_cycles_end_at_the_third_time_round(cycle: str, end: int) -> None:
    """The same call with the same result, alone or in turn with others."""
    assert ends_at([(tool, 1, tool) for tool in cycle * 5]) == end


def test_other_arguments_with_the_same_result_end_too() -> None:
    """Searching with ever new words that find nothing is no progress."""
    assert ends_at([("search", n, "nothing") for n in range(20)]) == NOTHING_NEW + 1


def test_one_reply_is_one_step_however_many_calls_it_holds() -> None:
    """Its agent could not be told between them: neither the same call thrice nor many empty ones end it at once."""
    progress = Progress(())
    for n in (1, 2):
        one = step(n, *[("look", 1, "a")] * 3, *[("search", n * 10 + i, "nothing") for i in range(8)])
        progress.note(one)
        assert progress.stuck(one) is None
    last = step(3, *[("look", 1, "a")] * 3)
    progress.note(last)
    assert progress.stuck(last) == "look was called in 3 steps with the same arguments and gave the same result."


def test_a_poll_that_changes_goes_on() -> None:
    """The same call with ever new results never ends."""
    assert ends_at([("poll", 1, str(n)) for n in range(50)]) is None


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 1), st.sampled_from("xyz")), max_size=40))
def test_rebuilding_from_steps_knows_the_same(calls: list[tuple[str, int, str]]) -> None:
    """Progress read back from stored steps says what it said while they were made."""
    steps = [step(n, call) for n, call in enumerate(calls, start=1)]
    grown = Progress(())
    for one in steps:
        grown.note(one)
    again = Progress(steps)
    for one in steps:
        assert again.stuck(one) == grown.stuck(one)
        assert again.repeats(one) is True
