"""A trial is held against what its case expects; each fault is a sentence."""

from collections.abc import Callable
from typing import Any

import pytest

from agents.evals.judging import judge, judge_outcome
from orchestrator.domain.goal import Limits

Make = Callable[..., Any]


def test_all_as_expected(case: Make, trial: Make, made: Make) -> None:
    """Nothing is wrong: it passed and it is right."""
    expected = case(
        calls=["look"], answer={"contains": "chairs", "figures": 12, "data": {"pieces": 12}}, limits=Limits(steps=3)
    )
    done = trial(answer="There are 12 Chairs [E2.1].", documents=({"pieces": 12},), calls=(made("look"),), steps=3)
    judged = judge(expected, done)
    assert (judged.wrong, judged.misbehaved, judged.right, judged.passed) == ((), (), True, True)


def test_right_but_misbehaved(case: Make, trial: Make) -> None:
    """The outcome is right, though a call is missing and a limit was passed."""
    judged = judge(
        case(calls=["look"], limits=Limits(steps=2, tokens=100, seconds=1)), trial(steps=3, tokens=101, worked=2)
    )
    assert (judged.right, judged.passed) == (True, False)
    assert judged.misbehaved == (
        "No call `look()`; made were none.",
        "It took 3 steps; 2 are the most.",
        "It took 101 tokens; 100 are the most.",
        "It took 2 seconds of work; 1 are the most.",
    )


def test_a_plain_answer(case: Make, trial: Make) -> None:
    """Only what came of it counts: a model alone makes no calls, and it may still be wrong."""
    asked = case(calls=["look"], answer={"contains": "12"}, limits=Limits(tokens=100))
    assert judge_outcome(asked, trial(answer="It is 12.", tokens=101)).passed
    assert judge_outcome(asked, trial(answer="It is 13.")).wrong == ("The answer does not contain `12`.",)


@pytest.mark.parametrize(
    ("test", "answer", "fault"),
    [
        ({"contains": "Vienna"}, "In Wien.", "The answer does not contain `Vienna`."),
        ({"lacks": ["secret"]}, "A SECRET.", "The answer contains `secret`, which it must not."),
        ({"matches": r"\byes\b"}, "eyes", r"The answer does not match `\byes\b`."),
        ({"figures": ["1250.50"]}, "It is 1,250.05.", "The answer has no figure 1250.50."),
        ({"figures": 4}, "It is so [E4.4].", "The answer has no figure 4."),
        ({"no_figures": 7}, "It is 7.", "The answer has the figure 7, which it must not."),
        ({"data": {"a": 1}}, "", "Neither the result nor a finding has the data {'a': 1}."),
    ],
)
def test_what_an_answer_lacks(case: Make, trial: Make, test: Any, answer: str, fault: str) -> None:
    """Each condition has its own sentence."""
    assert judge(case(answer=test), trial(answer=answer, documents=({"a": 2},))).wrong == (fault,)


@pytest.mark.parametrize("answer", ["1.250,50 €", "1,250.50 [E2.1]", "1250.5", "1 250,50 EUR"])
def test_a_figure_in_any_notation(case: Make, trial: Make, answer: str) -> None:
    """A figure is equal by value, not by how it is written."""
    assert judge(case(answer={"figures": "1250.50"}), trial(answer=f"It is {answer}.")).wrong == ()


@pytest.mark.parametrize(
    ("state", "reason", "said"),
    [
        ("failed", "the model refused.", "It should have ended `done`; it ended `failed` (the model refused)."),
        ("limit", "", "It should have ended `done`; it ended `limit`."),
        ("late", "", "It should have ended `done`; it had not ended when the time was up."),
    ],
)
def test_another_ending(case: Make, trial: Make, state: str, reason: str, said: str) -> None:
    """How it ended instead, and why."""
    assert judge(case(), trial(state=state, reason=reason)).wrong == (said,)


def test_waiting_for_a_person(case: Make, trial: Make, ticket: Make) -> None:
    """Right when it is expected with such a question; else the question is told."""
    waiting = trial(state="waiting", tickets=(ticket("Refund 40.00 EUR?", about="order 17"),))
    asked = {"question": "refund", "about": "/order 17/"}
    assert judge(case(ending="waiting", tickets=[asked]), waiting).wrong == ()
    assert judge(case(), waiting).wrong == ("It should have ended `done`; it waits for a person: Refund 40.00 EUR?.",)
    other = {"about": "order 18", "question": {"matches": "cancel"}}
    assert judge(case(ending="waiting", tickets=[other, {"topic": "review"}]), waiting).wrong == (
        "No person was asked about `order 18` with the words cancel; asked was `Refund 40.00 EUR?`.",
        "No person was asked about `review`; asked was `Refund 40.00 EUR?`.",
    )


@pytest.mark.parametrize("state", ["done", "failed"])
def test_refused(case: Make, trial: Make, made: Make, state: str) -> None:
    """Refused is an answer after which nothing has been done; what was only read, or failed, does no harm."""
    calls = (made("look"), made("refund", ok=False, effect="keyed"))
    assert judge(case(ending="refused"), trial(state=state, calls=calls)).wrong == ()
    calls = (*calls, made("refund", effect="keyed", order="17"))
    assert judge(case(ending="refused"), trial(state=state, calls=calls)).wrong == (
        "It should have been refused, but this was done: refund(order='17').",
    )


def test_refused_is_an_end(case: Make, trial: Make, ticket: Make) -> None:
    """A run that waits has not refused."""
    waiting = trial(state="waiting", tickets=(ticket("May I?"),))
    assert judge(case(ending="refused"), waiting).wrong == (
        "It should have been refused; it waits for a person: May I?.",
    )
