"""What may be done about a call of which nobody stored how it ended."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from orchestrator.domain.effect import GRACE, EffectIntent
from orchestrator.domain.step import Effect, StepCall
from orchestrator.engine.recovering import MOST_ATTEMPTS, decided, not_happened, question, recovery

DEADLINE = datetime(2026, 3, 31, 12, 0, tzinfo=UTC)


def intent(effect: Effect, **more: Any) -> EffectIntent:
    """A call that was begun before noon."""
    fields: dict[str, Any] = {"arguments": {"amount": "12.00", "to": "张三"}, "epoch": 1, "deadline": DEADLINE, **more}
    return EffectIntent(
        subtask_id="r1/a", step=1, call_id="c1.0", key="r1/a#1.c1.0", tool="pay", effect=effect, **fields
    )


@pytest.mark.parametrize(
    ("effect", "after", "what"),
    [
        ("keyed", timedelta(0), "later"),
        ("unsafe", GRACE - timedelta(seconds=1), "later"),
        ("keyed", GRACE, "again"),
        ("idempotent", GRACE, "again"),
        ("unsafe", GRACE, "find_out"),
    ],
)
def test_recovery(effect: Effect, after: timedelta, what: str) -> None:
    """Nobody looks before deadline and grace; then the safe is repeated and the rest is found out about."""
    assert recovery(intent(effect), DEADLINE + after) == what


@pytest.mark.parametrize(("after", "what"), [(2.9, "later"), (3.0, "find_out")])
def test_the_grace_is_that_of_whoever_began_it(after: float, what: str) -> None:
    """It stands in the intent, so that a worker with another grace comes to the same; ten seconds in older ones."""
    stored = intent("unsafe", grace=timedelta(seconds=3)).model_dump_json()
    assert recovery(EffectIntent.model_validate_json(stored), DEADLINE + timedelta(seconds=after)) == what
    older = intent("unsafe").model_dump(mode="json", exclude={"grace"})
    assert EffectIntent.model_validate(older).over_at == DEADLINE + timedelta(seconds=10)


def test_a_call_that_was_never_begun_is_begun() -> None:
    """Without an intent nothing can have happened."""
    assert recovery(None, DEADLINE) == "again"


@pytest.mark.parametrize(("effect", "what"), [("keyed", "again"), ("idempotent", "again"), ("unsafe", "later")])
def test_a_first_failure_that_was_seen(effect: Effect, what: str) -> None:
    """Nothing is under way any more: what is safe to repeat is repeated at once, once."""
    assert recovery(intent(effect, status="unknown"), DEADLINE - timedelta(seconds=29)) == what
    assert recovery(intent(effect, status="unknown", attempt=2), DEADLINE - timedelta(seconds=29)) == "later"


@pytest.mark.parametrize(("effect", "what"), [("keyed", "find_out"), ("idempotent", "give_up"), ("unsafe", "find_out")])
def test_attempts_have_an_end(effect: Effect, what: str) -> None:
    """After some attempts nobody tries on; what does no harm when repeated needs no person."""
    assert recovery(intent(effect, attempt=MOST_ATTEMPTS), DEADLINE + GRACE) == what
    assert not_happened(intent(effect, attempt=MOST_ATTEMPTS - 1)) == "again"
    assert not_happened(intent(effect, attempt=MOST_ATTEMPTS)) == "give_up"


@pytest.mark.parametrize(
    ("answer", "what"), [("happened", "happened"), ("not_done", "again"), ("stop", "without"), (None, "without")]
)
def test_what_a_person_decides(answer: str | None, what: str) -> None:
    """Only a clear word lets a call be begun again."""
    assert decided(answer) == what


def test_the_question_names_what_is_known() -> None:
    """The person reads the tool, its arguments, its key, why nobody knows, and can say three things."""
    call = StepCall(id="c1.0", tool="pay", arguments={"amount": 12})
    draft = question(call, intent("unsafe", attempt=2), "The bank does not answer.")
    assert draft.question == "Did `pay` happen? The worker that called it died before the result was stored."
    assert draft.tried == (
        'Arguments: {"amount": "12.00", "to": "张三"}. Key: r1/a#1.c1.0. '
        "Begun before 2026-03-31 12:00:00 UTC, attempt 2. The bank does not answer."
    )
    assert [choice.value for choice in draft.choices] == ["happened", "not_done", "stop"]
    seen = question(call, intent("unsafe", trouble="pay failed: TimeoutError"))
    assert seen.question == "Did `pay` happen? pay failed: TimeoutError"
