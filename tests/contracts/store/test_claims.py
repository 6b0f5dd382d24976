"""Contract of the store: claims and the leases of workers."""

from collections.abc import Callable

import pytest

from orchestrator.adapters.sql.store import SqlStore
from orchestrator.domain.changes import CancelRun, Fence, Reclaim, SaveStep, Wait, Yield
from orchestrator.domain.run import Run
from orchestrator.domain.step import Step
from orchestrator.domain.subtask import Edge, Status
from orchestrator.errors import ConflictError, DefectError, FencedError
from orchestrator.ports.store import Applied, Held

Add = Callable[..., Applied]
Eventually = Callable[[Callable[[], bool]], None]


def test_a_claim_makes_a_ready_subtask_running_and_owned(store: SqlStore, add: Add) -> None:
    """Its epoch goes up, its start is noted, and what is returned is what is stored."""
    add("a")
    claimed = store.claim("r1/a", "w1")
    assert claimed is not None
    assert (claimed.status, claimed.owner, claimed.epoch) == (Status.RUNNING, "w1", 1)
    assert claimed.started_at is not None
    assert store.subtask("r1/a") == claimed


def test_a_stale_wake_up_claims_nothing(
    store: SqlStore, add: Add, edge: Callable[..., Edge], finish: Add, take: Callable[..., Fence]
) -> None:
    """Blocked, running, waiting, done, cancelled and unknown subtasks are None, and stay as they are."""
    add("blocked", "running", "waiting", "done", edges=[edge("running", "blocked")])
    take("running")
    fence = take("waiting")
    store.apply([Wait("r1/waiting", store.run_of("r1/waiting").created_at)], fence)
    finish("done")
    before = store.subtasks("r1")
    for key in ("blocked", "running", "waiting", "done", "unknown"):
        assert store.claim(f"r1/{key}", "w1") is None
    assert store.subtasks("r1") == before
    store.apply([CancelRun("r1", "x")])
    for key in ("blocked", "running", "waiting", "done"):
        assert store.claim(f"r1/{key}", "w1") is None


def test_the_start_is_the_first_claim(store: SqlStore, add: Add, take: Callable[..., Fence]) -> None:
    """A later turn has a higher epoch and the same start."""
    add("a")
    fence = take("a")
    first = store.subtask("r1/a")
    store.apply([Yield("r1/a")], fence)
    second = store.claim("r1/a", "w2")
    assert first is not None
    assert second is not None
    assert (second.epoch, second.owner, second.started_at) == (2, "w2", first.started_at)


def test_only_a_worker_with_a_lease_claims(store: SqlStore, add: Add) -> None:
    """Neither an unknown worker nor one whose lease has ended."""
    add("a")
    store.expire("w2")
    assert store.claim("r1/a", "w2") is None
    assert store.claim("r1/a", "nobody") is None
    assert store.claim("r1/a", "w1") is not None


def test_a_lease_is_renewed_until_it_has_passed(store: SqlStore, eventually: Eventually) -> None:
    """Then never again: the worker has to stop."""
    store.register("w", 3600)
    (lease,) = store.leases()
    assert (lease.worker_id, lease.until > lease.started_at) == ("w", True)
    assert store.renew("w", 7200)
    (longer,) = store.leases()
    assert (longer.until - lease.until).total_seconds() > 3000
    assert store.renew("w", 0.05)
    eventually(lambda: store.leases() == [])
    assert not store.renew("w", 3600)
    assert store.leases() == []


def test_an_expired_lease_is_over_at_once(store: SqlStore) -> None:
    """Twice, or for an unknown worker, it changes nothing."""
    store.register("w", 3600)
    for worker in ("w", "w", "unknown"):
        store.expire(worker)
    assert store.leases() == []
    assert not store.renew("w", 3600)


def test_an_id_of_a_worker_is_never_used_again(store: SqlStore) -> None:
    """Even when its lease has ended."""
    store.register("w", 3600)
    store.expire("w")
    with pytest.raises(DefectError):
        store.register("w", 3600)


def test_what_dead_workers_hold_is_abandoned(store: SqlStore, add: Add, take: Callable[..., Fence]) -> None:
    """Only running subtasks of owners without a lease, at most as many as asked for."""
    add("a", "b", "c")
    take("a", "w1")
    take("b", "w2")
    take("c", "w2")
    assert store.abandoned(10) == []
    store.expire("w2")
    assert store.abandoned(10) == [Held("r1/b", "w2", 1), Held("r1/c", "w2", 1)]
    assert store.abandoned(1) == [Held("r1/b", "w2", 1)]


def test_a_reclaimed_subtask_is_ready_and_its_old_owner_is_fenced(
    store: SqlStore, add: Add, take: Callable[..., Fence]
) -> None:
    """The death is counted; only one sweeper takes it; the dead worker's writes come too late."""
    add("a")
    fence = take("a", "w2", step=1)
    store.expire("w2")
    assert store.apply([Reclaim("r1/a", "w2", 1)]).ready == ("r1/a",)
    found = store.subtask("r1/a")
    assert found is not None
    assert (found.status, found.owner, found.deaths, found.epoch) == (Status.READY, None, 1, 1)
    with pytest.raises(ConflictError):
        store.apply([Reclaim("r1/a", "w2", 1)])
    with pytest.raises(FencedError):
        store.apply([SaveStep("r1/a", Step(n=1))], fence)
    again = take("a", "w1", step=1)
    with pytest.raises(FencedError):
        store.apply([SaveStep("r1/a", Step(n=1))], fence)
    store.apply([SaveStep("r1/a", Step(n=1))], again)
    assert len(store.steps("r1/a")) == 1


def test_nothing_is_taken_from_the_living(store: SqlStore, run: Run, add: Add, take: Callable[..., Fence]) -> None:
    """Nor from another claim than the one that was seen."""
    add("a")
    take("a", "w1")
    for wrong in (Reclaim("r1/a", "w1", 1), Reclaim("r1/a", "w2", 1), Reclaim("r1/a", "w1", 2)):
        with pytest.raises(ConflictError):
            store.apply([wrong])
    found = store.subtask("r1/a")
    assert found is not None
    assert (found.status, found.deaths) == (Status.RUNNING, 0)
