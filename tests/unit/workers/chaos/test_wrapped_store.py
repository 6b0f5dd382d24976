"""What a transaction is called, and that a disturbed store breaks where it says."""

from collections.abc import Generator
from pathlib import Path
from typing import get_args

import pytest

from orchestrator.adapters.sql import temporary_store
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.domain import changes
from orchestrator.errors import StoreError
from workers.chaos.faults import Faults
from workers.chaos.plan import Plan, write_plan
from workers.chaos.points import COMMITS, Fault
from workers.chaos.wrapped_store import DisturbedStore, kind_of


@pytest.mark.parametrize("kind", get_args(changes.Change))
def test_every_change_has_its_point(kind: type[changes.Change]) -> None:
    """A transaction of any change is met under one of the names, whatever is added to the changes there are."""
    assert kind_of([object.__new__(kind)]) in COMMITS


def test_the_weightiest_names_it() -> None:
    """A step with an intent is an intent, one that ends the run is its end."""

    def kinds(*given: type[changes.Change]) -> str:
        return kind_of([object.__new__(one) for one in given])

    assert kinds(changes.SaveStep, changes.CloseIntents) == "outcome"
    assert kinds(changes.SaveStep, changes.CloseIntents, changes.SaveIntents) == "intent"
    assert kinds(changes.SaveStep, changes.Settle, changes.Release) == "finding"
    assert kinds(changes.Settle, changes.AddSubtasks, changes.RevisePlan) == "plan"
    assert kinds(changes.Settle, changes.EndRun) == "end"
    assert kinds(changes.SaveStep, changes.OpenTicket, changes.Wait) == "question"
    assert kinds(changes.OpenRun, changes.Note) == "other"


class Scripted(Faults):
    """Gives what a test wants at a point."""

    def __init__(self, folder: Path, script: dict[str, Fault]) -> None:
        write_plan(Plan(seed=1, round=1, most=0, stop_seconds=1), folder)
        super().__init__(folder, "")
        self._script = script
        self.met: list[str] = []

    def meet(self, name: str) -> Fault | None:
        """What the script says."""
        self.met.append(name)
        return self._script.get(name)


@pytest.fixture
def inner() -> Generator[SqlStore]:
    """A store with a lease."""
    with temporary_store() as store:
        store.register("w1", 60)
        yield store


def test_an_error_before_the_commit(inner: SqlStore, tmp_path: Path) -> None:
    """Nothing was written, and the caller is told so."""
    store = DisturbedStore(inner, Scripted(tmp_path, {"lease.before": "error"}))
    (before,) = inner.leases()
    with pytest.raises(StoreError, match=r"lease: chaos: the connection was lost before the commit$"):
        store.renew("w1", 3600)
    assert inner.leases() == [before]


def test_an_error_after_the_commit(inner: SqlStore, tmp_path: Path) -> None:
    """It was written, and the caller is told that nobody knows."""
    store = DisturbedStore(inner, Scripted(tmp_path, {"lease.after": "error"}))
    (before,) = inner.leases()
    with pytest.raises(StoreError, match=r"lease: chaos: the connection was lost before the commit was confirmed$"):
        store.renew("w1", 3600)
    (now,) = inner.leases()
    assert now.until > before.until


def test_an_error_while_reading(inner: SqlStore, tmp_path: Path) -> None:
    """Nothing is read, and the caller is told so."""
    store = DisturbedStore(inner, Scripted(tmp_path, {"read": "error"}))
    with pytest.raises(StoreError, match=r"read: chaos: the connection was lost while reading$"):
        store.leases()


def test_without_faults_it_is_the_same(inner: SqlStore, tmp_path: Path) -> None:
    """What is committed passes two points, what is read at least one, and the end of a lease none."""
    faults = Scripted(tmp_path, {})
    store = DisturbedStore(inner, faults)
    assert store.renew("w1", 60)
    assert store.claim("none/plan", "w1") is None
    assert store.leases() == inner.leases()
    store.expire("w1")
    assert store.leases() == []
    assert "read" in faults.met
    assert [one for one in faults.met if one != "read"] == [
        "lease.before",
        "lease.after",
        "claim.before",
        "claim.after",
    ]
