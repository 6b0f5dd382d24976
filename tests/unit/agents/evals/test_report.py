"""Scores, the threshold, and the two ways in which a report is shown."""

from collections.abc import Callable, Sequence
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from agents.evals.judging import Judged
from agents.evals.report import Report, Tried
from agents.evals.scoring import score
from agents.evals.table import MOST_CASES, drawn
from agents.evals.variants import Variant

Make = Callable[..., Any]
PLAIN, TEAM = Variant("plain", plain=True), Variant("shop", "shop")


def shown(report: Report, width: int = 100) -> list[str]:
    """The lines of a report as a terminal of this width shows them."""
    screen = StringIO()
    Console(width=width, file=screen).print(drawn(report))
    return [line.rstrip() for line in screen.getvalue().splitlines()]


@pytest.fixture
def judged(case: Make, trial: Make) -> Make:
    """Makes a judged trial."""

    def make(name: str = "one", wrong: Sequence[str] = (), misbehaved: Sequence[str] = (), **facts: Any) -> Judged:
        return Judged(case(name), trial(**facts), tuple(wrong), tuple(misbehaved))

    return make


def test_a_score(judged: Make) -> None:
    """Counts, averages and sums over trials."""
    good = judged(steps=4, tokens=100, seconds=1.0, cost="0.01", models=("big",))
    bad = judged(wrong=["No."], unsupported=("a", "b"), steps=6, tokens=300, seconds=2.0, cost="0.02", models=("big",))
    loose = judged(misbehaved=["Too long."], steps=2, tokens=200, seconds=3.0, cost="0", models=("small",))
    found = score([good, bad, loose])
    assert (found.trials, found.passed, found.right, found.unsupported) == (3, 1, 2, 2)
    assert (found.pass_rate, found.accuracy) == (1 / 3, 2 / 3)
    assert (found.steps, found.tokens, found.seconds) == (4.0, 200.0, 2.0)
    assert (found.cost, found.models) == (Decimal("0.03"), ("big", "small"))


def test_a_price_that_is_not_known(judged: Make) -> None:
    """One trial without a price makes the sum unknown; no trials score nothing."""
    assert score([judged(cost="0.01"), judged(cost=None)]).cost is None
    assert (score([]).pass_rate, score([]).accuracy, score([]).steps) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(("threshold", "passed"), [(0.5, True), (0.51, False), (0.0, True), (1.0, False)])
def test_the_threshold(judged: Make, threshold: float, passed: bool) -> None:
    """Reached when the share that passed is as high."""
    tried = (Tried(TEAM, 1, judged()), Tried(TEAM, 2, judged(wrong=["No."])))
    assert Report((TEAM,), tried, threshold).passed is passed


def test_of_two_the_second_has_to_reach_it(judged: Make) -> None:
    """The first is what it is held against."""
    tried = (Tried(PLAIN, 1, judged(wrong=["No."])), Tried(TEAM, 1, judged()))
    assert Report((PLAIN, TEAM), tried, 1.0).passed
    assert not Report((TEAM, PLAIN), tried, 1.0).passed


def test_the_table_of_one(judged: Make) -> None:
    """A row for each case with its measures, why it failed, and the sums."""
    tried = (
        Tried(TEAM, 1, judged("first", steps=4, tokens=1200, seconds=1.04, cost="0.0012", models=("big",))),
        Tried(TEAM, 1, judged("second", ["It is wrong."], ["Too long."], run="r7", unsupported=("x",), cost="0")),
    )
    assert shown(Report((TEAM,), tried, 0.9)) == [
        "case    passed  unsupported  steps  tokens   time     cost",
        "first   ✓                 0    4.0   1,200  1.0 s  $0.0012",
        "second  ✗                 1    0.0       0  0.0 s  $0.0000",
        "",
        "✗ second  r7",
        "    It is wrong.",
        "    Too long.",
        "",
        "                        shop",
        "passed                   50%",
        "accuracy                 50%",
        "model                    big",
        "unsupported figures        1",
        "steps per run            2.0",
        "tokens per run           600",
        "time per run           0.5 s",
        "cost of all          $0.0012",
        "",
        "1 of 2 passed, 50%; 90% are wanted.",
    ]


def test_the_table_of_two(judged: Make) -> None:
    """A column for each variant; a case that was tried more than once shows how often it passed."""
    tried = (
        Tried(PLAIN, 1, judged("first", ["It is wrong."], run="r1")),
        Tried(PLAIN, 2, judged("first")),
        Tried(TEAM, 1, judged("first")),
        Tried(TEAM, 2, judged("first")),
    )
    lines = shown(Report((PLAIN, TEAM), tried, 0.9))
    assert lines[:2] == ["case   plain  shop", "first  ✗ 1/2  ✓ 2/2"]
    assert lines[4] == "passed                 50%   100%"
    assert lines[-1] == "shop: 2 of 2 passed, 100%; 90% are wanted."


def test_many_cases(judged: Make) -> None:
    """Of more than fit a screen only those that failed are drawn; the others are counted."""
    names = [f"case {number}" for number in range(MOST_CASES + 1)]
    tried = tuple(Tried(TEAM, 1, judged(name, ["No."] if name == "case 7" else [])) for name in names)
    lines = shown(Report((TEAM,), tried, 0.9))
    assert lines[1].startswith("case 7  ✗")
    assert lines[3] == f"{MOST_CASES} more cases passed."


def test_many_cases_beside_plain_answers(judged: Make) -> None:
    """Only what went wrong with the team is drawn, and why; the score says how plain answers did."""
    names = [f"case {number}" for number in range(MOST_CASES + 1)]
    tried = (
        *(Tried(PLAIN, 1, judged(name, ["It is wrong."])) for name in names),
        *(Tried(TEAM, 1, judged(name, ["No."] if name == "case 7" else [])) for name in names),
    )
    lines = shown(Report((PLAIN, TEAM), tried, 0.9))
    assert lines[:7] == [
        "case    plain  shop",
        "case 7  ✗      ✗",
        "",
        f"{MOST_CASES} more cases passed with shop.",
        "",
        "✗ case 7  shop",
        "    No.",
    ]
    assert lines[9] == "passed                  0%    98%"


def test_many_cases_that_all_passed(judged: Make) -> None:
    """Nothing is drawn but the score."""
    tried = tuple(Tried(TEAM, 1, judged(f"case {number}")) for number in range(MOST_CASES + 1))
    assert shown(Report((TEAM,), tried, 0.9))[0] == f"{MOST_CASES + 1} cases passed."


def test_a_narrow_terminal_cuts_no_number(judged: Make) -> None:
    """The name of the case gives way, measures do not."""
    tried = (Tried(TEAM, 1, judged("a rather long name of a case that has to give way", tokens=1_234_567)),)
    text = "\n".join(shown(Report((TEAM,), tried, 0.9), width=70))
    assert "1,234,567" in text
    assert "unsupported" in text


def test_as_json(judged: Make, made: Make) -> None:
    """Everything that a machine needs to judge or to compare."""
    tried = (Tried(TEAM, 1, judged("first", ["No."], run="r1", calls=(made("look", at="a"),), cost="0.5", tokens=7)),)
    assert Report((TEAM,), tried, 0.9).as_json() == {
        "passed": False,
        "threshold": 0.9,
        "variants": [
            {
                "name": "shop",
                "trials": 1,
                "passed": 0,
                "pass_rate": 0.0,
                "accuracy": 0.0,
                "unsupported": 0,
                "steps": 0.0,
                "tokens": 7.0,
                "seconds": 0.0,
                "cost": "0.5",
                "models": [],
            }
        ],
        "trials": [
            {
                "case": "first",
                "variant": "shop",
                "repeat": 1,
                "passed": False,
                "right": False,
                "reasons": ["No."],
                "run": "r1",
                "state": "done",
                "answer": "",
                "calls": [{"agent": "clerk", "tool": "look", "arguments": {"at": "a"}, "ok": True}],
                "unsupported": [],
                "models": [],
                "steps": 0,
                "tokens": 7,
                "seconds": 0.0,
                "cost": "0.5",
            }
        ],
    }
