"""What may be done about a call whose worker died before its result was stored."""

from datetime import UTC, datetime, timedelta

import pytest

from orchestrator.domain.effect import EffectIntent
from orchestrator.domain.step import Effect, StepCall
from orchestrator.engine.recovering import GRACE, question, recovery

DEADLINE = datetime(2026, 3, 31, 12, 0, tzinfo=UTC)


def intent(effect: Effect) -> EffectIntent:
    """A call that was begun before noon."""
    return EffectIntent(
        subtask_id="r1/a",
        step=1,
        call_id="c1.0",
        key="r1/a#1.c1.0",
        tool="pay",
        effect=effect,
        arguments={"amount": "12.00"},
        epoch=1,
        deadline=DEADLINE,
    )


@pytest.mark.parametrize(
    ("effect", "after", "what"),
    [
        ("keyed", timedelta(0), "later"),
        ("unsafe", GRACE - timedelta(seconds=1), "later"),
        ("keyed", GRACE, "again"),
        ("idempotent", GRACE, "again"),
        ("unsafe", GRACE, "ask"),
    ],
)
def test_recovery(effect: Effect, after: timedelta, what: str) -> None:
    """Nobody looks before deadline and grace; then the safe is repeated and a person is asked about the rest."""
    assert recovery(intent(effect), DEADLINE + after) == what


def test_a_call_that_was_never_begun_is_run() -> None:
    """Without an intent nothing can have happened."""
    assert recovery(None, DEADLINE) == "again"


def test_the_question_names_what_is_known() -> None:
    """The person reads the tool, its arguments and its key, and can say three things."""
    draft = question(StepCall(id="c1.0", tool="pay", arguments={"amount": "12.00"}), intent("unsafe"))
    assert "`pay`" in draft.question
    assert "12.00" in draft.tried
    assert [choice.value for choice in draft.choices] == ["happened", "not_done", "stop"]
