"""Column types: every moment and every text comes back as it was written, on both databases."""

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator.adapters.sql.kinds import storable, whole
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.domain.changes import OpenRun
from orchestrator.domain.goal import Goal
from orchestrator.domain.identity import Scope, new_id
from orchestrator.domain.run import Run, TeamRules

zones = st.integers(min_value=-14 * 60, max_value=14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
moments = st.datetimes(min_value=datetime(1, 1, 3), max_value=datetime(9999, 12, 29), timezones=zones)  # noqa: DTZ001


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(moment=moments, words=st.text(min_size=1))
def test_moments_and_texts_come_back(store: SqlStore, moment: datetime, words: str) -> None:
    """To the microsecond, in UTC; every character of a text."""
    rules = TeamRules(team="demo", specialists=())
    run = Run(
        id=new_id("r"), tenant="t", goal=Goal(text=words), rules=rules, team_blob="b", trace="x", created_at=moment
    )
    store.apply([OpenRun(run)])
    found = store.run(Scope(tenant="t"), run.id)
    assert found.created_at == moment
    assert found.created_at.tzinfo is UTC
    assert found.goal.text == words


@given(st.text(st.characters()))
def test_only_what_cannot_be_stored_is_replaced(text: str) -> None:
    """NUL and lone surrogates; the rest is untouched."""
    kept = storable(text)
    kept.encode()
    assert "\x00" not in kept
    if text == text.encode("utf-8", "ignore").decode():
        assert kept == text.replace("\x00", "\ufffd")
        assert whole(text) == text


def test_pairs_of_surrogates_are_joined() -> None:
    """As JSON writes them; halves become replacement marks, a byte order mark stays."""
    assert whole("\ud83d\ude00") == "😀"
    assert whole("\ude00\ud83dx") == "\ufffd\ufffdx"
    assert whole("\ufeffé") == "\ufeffé"
