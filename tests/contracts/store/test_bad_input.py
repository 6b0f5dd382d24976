"""Contract of the store: texts and times that no database can keep."""

from collections.abc import Callable
from datetime import datetime

import pytest

from orchestrator.adapters.sql.store import SqlStore
from orchestrator.domain.changes import CloseTicket, Fence, OpenTicket, ReplaceUnstarted, SaveStep, Wait
from orchestrator.domain.identity import Actor, Scope
from orchestrator.domain.step import Step, StepCall
from orchestrator.domain.ticket import Ticket
from orchestrator.errors import DefectError, NotFoundError
from orchestrator.ports.store import Applied

Add = Callable[..., Applied]
Take = Callable[..., Fence]


def test_what_a_model_wrote_is_kept_whatever_it_is(store: SqlStore, add: Add, take: Take) -> None:
    """NUL, emoji and Chinese survive; half a surrogate pair becomes a replacement mark."""
    add("a")
    arguments = {"半\ud83d": ["\ud83d x", {"nul": "a\x00b"}], "emoji": "😀", "n": 1.5, "none": None}
    step = Step(n=1, text="NUL: \x00。", calls=(StepCall(id="c1", tool="look", arguments=arguments),))
    store.apply([SaveStep("r1/a", step)], take("a", step=1))
    (found,) = store.steps("r1/a")
    assert found.text == "NUL: \x00。"
    expected = {"半\ufffd": ["\ufffd x", {"nul": "a\x00b"}], "emoji": "😀", "n": 1.5, "none": None}
    assert found.calls[0].arguments == expected


def test_what_cannot_be_written_as_json_is_a_defect(store: SqlStore, add: Add, take: Take) -> None:
    """It says which record, in one line, and nothing is kept."""
    add("a")
    step = Step(n=1, calls=(StepCall(id="c1", tool="look", arguments={"x": object()}),))
    with pytest.raises(DefectError, match="a step cannot be written as JSON") as caught:
        store.apply([SaveStep("r1/a", step)], take("a", step=1))
    assert "\n" not in str(caught.value)
    assert store.steps("r1/a") == []


def test_words_of_people_lose_only_what_cannot_be_kept(
    store: SqlStore, add: Add, new_ticket: Callable[..., Ticket]
) -> None:
    """An answer with NUL in it is stored with a replacement mark, on every database alike."""
    add("a")
    store.apply([OpenTicket(new_ticket("t1"))])
    store.apply([CloseTicket("t1", "answered", "是\x00", "a\ud83d", Actor(id="anna"))])
    found = store.ticket(Scope(tenant="acme"), "t1")
    assert (found.answer, found.comment) == ("是\ufffd", "a\ufffd")
    store.apply([ReplaceUnstarted("r1", "x\x00y")])
    subtask = store.subtask("r1/a")
    assert subtask is not None
    assert subtask.skip_because == "x\ufffdy"


def test_a_time_without_a_zone_is_refused(store: SqlStore, add: Add, take: Take) -> None:
    """Nobody knows what it means."""
    add("a")
    fence = take("a")
    with pytest.raises(DefectError, match="without a zone"):
        store.apply([Wait("r1/a", datetime(2026, 3, 1))], fence)  # noqa: DTZ001  # that is the point


def test_an_id_no_database_can_keep_is_not_found(store: SqlStore) -> None:
    """What a person typed or a web client sent never breaks the query."""
    scope = Scope(tenant="acme")
    for odd in ("\udcff", "a\x00", "\U0010ffff", "'; --", "%", "x" * 10_000):
        with pytest.raises(NotFoundError):
            store.run(scope, odd)
        with pytest.raises(NotFoundError):
            store.ticket(scope, odd)
        assert store.subtask(odd) is None
        assert store.claim(odd, odd) is None
