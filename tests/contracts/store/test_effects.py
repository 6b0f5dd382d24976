"""Contract of the store: the ledger of effects."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from orchestrator.adapters.shifted_clock import ShiftedClock
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.domain.changes import CloseIntents, SaveIntents
from orchestrator.domain.effect import EffectIntent, EffectOutcome, idempotency_key
from orchestrator.errors import ConflictError
from orchestrator.ports.store import Applied

MakeIntent = Callable[..., EffectIntent]


@pytest.fixture
def intent(clock: ShiftedClock, add: Callable[..., Applied]) -> MakeIntent:
    """Make an intent of step 1 of the stored subtask `a`."""
    add("a")
    deadline = clock.now() + timedelta(seconds=30)

    def make(call_id: str, **given: Any) -> EffectIntent:
        fields: dict[str, Any] = {"tool": "pay", "effect": "keyed", "arguments": {"额": "1.00"}, "epoch": 1, **given}
        key = idempotency_key("r1/a", 1, call_id)
        return EffectIntent(subtask_id="r1/a", step=1, call_id=call_id, key=key, deadline=deadline, **fields)

    return make


def outcome(call_id: str, status: Any) -> CloseIntents:
    return CloseIntents((EffectOutcome(subtask_id="r1/a", step=1, call_id=call_id, status=status),))


def test_intents_read_back_with_how_they_ended(store: SqlStore, intent: MakeIntent) -> None:
    """One entry a call, of this step only."""
    store.apply([SaveIntents((intent("c2"), intent("c1")))])
    assert store.intents("r1/a", 1) == [intent("c1"), intent("c2")]
    store.apply([outcome("c1", "happened"), outcome("c2", "unknown")])
    assert [one.status for one in store.intents("r1/a", 1)] == ["happened", "unknown"]
    assert store.intents("r1/a", 2) == []


def test_the_effects_of_a_run(store: SqlStore, intent: MakeIntent, add: Callable[..., Applied]) -> None:
    """Those of all its subtasks, by subtask, step and call; of other runs none."""
    add("b")
    later = intent("c1").model_copy(update={"subtask_id": "r1/b", "step": 2})
    store.apply([SaveIntents((later, intent("c2"), intent("c1")))])
    store.apply([outcome("c1", "happened")])
    happened = intent("c1").model_copy(update={"status": "happened"})
    assert store.effects("r1") == [happened, intent("c2"), later]
    assert store.effects("r2") == []


def test_a_known_outcome_stays(store: SqlStore, intent: MakeIntent) -> None:
    """What happened never becomes something else; saying it again is harmless; `unknown` may be cleared up."""
    store.apply([SaveIntents((intent("c1"), intent("c2")))])
    store.apply([outcome("c1", "happened"), outcome("c2", "unknown")])
    store.apply([outcome("c1", "happened"), outcome("c2", "failed")])
    for call_id, status in (("c1", "failed"), ("c2", "happened"), ("c1", "unknown"), ("none", "happened")):
        with pytest.raises(ConflictError):
            store.apply([outcome(call_id, status)])
    assert [one.status for one in store.intents("r1/a", 1)] == ["happened", "failed"]


def test_a_repeated_attempt_has_the_same_key(store: SqlStore, intent: MakeIntent) -> None:
    """What failed may be intended again by a later claim; what happened may not."""
    store.apply([SaveIntents((intent("c1"), intent("c2")))])
    store.apply([outcome("c1", "failed"), outcome("c2", "happened")])
    again = intent("c1", epoch=2)
    store.apply([SaveIntents((again,))])
    assert store.intents("r1/a", 1)[0] == again
    with pytest.raises(ConflictError, match="has happened already"):
        store.apply([SaveIntents((intent("c2", epoch=2),))])
