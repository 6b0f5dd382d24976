"""Contract of the store: a worker that ends in order leaves what it could not finish, and nobody has died."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from orchestrator.adapters.sql.store import SqlStore
from orchestrator.domain.budget import Allowance, Amounts, Shared, Tariff, accounts
from orchestrator.domain.changes import BreakOff, Fence, GiveUp, OpenAccounts, Reserve, SaveStep, Wake
from orchestrator.domain.run import Run
from orchestrator.domain.step import Step
from orchestrator.domain.subtask import Status
from orchestrator.errors import ConflictError, FencedError
from orchestrator.ports.store import Applied

Add = Callable[..., Applied]
Take = Callable[..., Fence]
NONE = Allowance()


def test_what_is_given_up_is_ready_at_once(store: SqlStore, add: Add, take: Take) -> None:
    """Without a death; its wake-up goes out; what the old turn still wants to write comes too late."""
    add("a")
    fence = take("a", "w1", step=1)
    assert store.apply([GiveUp("r1/a", "w1", 1)]) == Applied(ready=("r1/a",))
    found = store.subtask("r1/a")
    assert found is not None
    assert (found.status, found.owner, found.deaths, found.epoch) == (Status.READY, None, 0, 1)
    assert store.running_of("w1") == []
    with pytest.raises(FencedError):
        store.apply([SaveStep("r1/a", Step(n=1))], fence)
    again = take("a", "w2", step=1)
    with pytest.raises(FencedError):
        store.apply([SaveStep("r1/a", Step(n=1))], fence)
    store.apply([SaveStep("r1/a", Step(n=1))], again)


def test_nobody_gives_up_what_is_not_its_own(store: SqlStore, add: Add, take: Take) -> None:
    """Another worker's, another claim's, what it has given up already, or nothing at all."""
    add("a")
    take("a", "w1")
    for wrong in (GiveUp("r1/a", "w2", 1), GiveUp("r1/a", "w1", 2), GiveUp("r1/none", "w1", 1)):
        with pytest.raises(ConflictError):
            store.apply([wrong])
    found = store.subtask("r1/a")
    assert found is not None
    assert (found.status, found.owner) == (Status.RUNNING, "w1")
    store.apply([GiveUp("r1/a", "w1", 1)])
    with pytest.raises(ConflictError):
        store.apply([GiveUp("r1/a", "w1", 1)])


def test_what_its_call_set_aside_counts_as_used(store: SqlStore, run: Run, add: Add, take: Take) -> None:
    """The call was not through when its worker ended: it may still be answered, and paid for."""
    add("a")
    shared = Shared("acme", "demo", "2026-07", NONE, NONE)
    store.apply([OpenAccounts(accounts(run.id, Allowance(tokens=1000), shared), "stop")])
    fence = replace(take("a"), tariff=Tariff(input=3, output=5))
    store.apply([Reserve(run.id, "r1/a", Amounts(tokens=100))], fence)
    store.apply([GiveUp("r1/a", "w1", 1)])
    assert store.standing("r1/a") == []
    assert [(one.kind.value, one.spent, one.reserved) for one in store.standing("r1")] == [("tokens", 100, 0)]


def test_what_broke_before_is_not_forgotten(store: SqlStore, run: Run, add: Add, take: Take) -> None:
    """A deploy neither adds a death nor takes away what is known of those before."""
    add("a")
    store.apply([BreakOff("r1/a", "it broke", run.created_at)], take("a"))
    store.apply([Wake("r1/a")])
    take("a", "w2")
    store.apply([GiveUp("r1/a", "w2", 2)])
    found = store.subtask("r1/a")
    assert found is not None
    assert (found.deaths, found.trouble) == (1, "it broke")
