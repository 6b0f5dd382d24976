"""Contract of the store: the audit chain of a run."""

import hashlib
import json

from orchestrator.adapters.sql.store import SqlStore
from orchestrator.domain.changes import Note, OpenRun
from orchestrator.domain.identity import ENGINE, Actor
from orchestrator.domain.run import Run
from orchestrator.ports.store import AuditEntry

ANNA = Actor(id="anna", roles=("approver",), channel="web", proof="session 7")


def recomputed(before: str, entry: AuditEntry) -> str:
    """The digest as the documentation says it is made, written down once more."""
    parts = [
        before,
        entry.n,
        entry.at.isoformat(),
        entry.actor.model_dump(mode="json"),
        entry.action,
        entry.detail,
    ]
    text = json.dumps(parts, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def test_the_chain_can_be_verified_by_anybody(store: SqlStore, run: Run) -> None:
    """Each digest covers its entry and the digest before it, also when several are written at once."""
    store.apply([Note("r1", ANNA, "submit", "目标：对账"), Note("r1", ENGINE, "plan")])
    store.apply([Note("r1", ANNA, "answer", "t1: yes")])
    chain = store.audit("r1")
    assert [(one.n, one.actor.id, one.action, one.detail) for one in chain] == [
        (1, "anna", "submit", "目标：对账"),
        (2, "remit", "plan", ""),
        (3, "anna", "answer", "t1: yes"),
    ]
    before = ""
    for entry in chain:
        assert entry.digest == recomputed(before, entry)
        before = entry.digest


def test_a_run_is_opened_and_noted_in_one_transaction(store: SqlStore, run: Run) -> None:
    """Each run has its own chain."""
    other = run.model_copy(update={"id": "r2"})
    store.apply([OpenRun(other), Note("r2", ANNA, "submit")])
    store.apply([Note("r1", ANNA, "submit")])
    assert [one.n for one in store.audit("r2")] == [1]
    assert [one.n for one in store.audit("r1")] == [1]
    assert store.audit("none") == []


def test_words_no_database_keeps_do_not_break_the_chain(store: SqlStore, run: Run) -> None:
    """NUL and half a surrogate pair become replacement marks, before the digest is made."""
    store.apply([Note("r1", ANNA, "a\x00b", "x\ud83dy")])
    (entry,) = store.audit("r1")
    assert (entry.action, entry.detail) == ("a\ufffdb", "x\ufffdy")
    assert entry.digest == recomputed("", entry)
