"""Claims that are sent again after a lost connection."""

from collections.abc import Callable

from sqlalchemy import create_engine

from orchestrator.adapters.shifted_clock import ShiftedClock
from orchestrator.adapters.sql.lease_time import of_machine
from orchestrator.adapters.sql.leases import Leases
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.domain.changes import Fence, Yield


def test_a_claim_sent_twice_is_one_claim(
    store: SqlStore, store_url: str, clock: ShiftedClock, ready: Callable[[str], str]
) -> None:
    """The same token gets the same claim again, with the same epoch; another token gets nothing."""
    store.register("w", 3600)
    subtask_id = ready("a")
    leases = Leases(of_machine(clock), clock)
    engine = create_engine(store_url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        first = leases.claim(connection, subtask_id, "w", "token")
        assert first is not None
        assert leases.claim(connection, subtask_id, "w", "token") == first
        assert leases.claim(connection, subtask_id, "w", "other") is None
    engine.dispose()
    assert first.epoch == 1
    assert store.subtask(subtask_id) == first


def test_an_old_token_claims_nothing_that_went_on(
    store: SqlStore, store_url: str, clock: ShiftedClock, ready: Callable[[str], str]
) -> None:
    """A later claim has its own token."""
    store.register("w", 3600)
    subtask_id = ready("a")
    leases = Leases(of_machine(clock), clock)
    engine = create_engine(store_url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        assert leases.claim(connection, subtask_id, "w", "token") is not None
    store.apply([Yield(subtask_id)], Fence(subtask_id, "w", 1, 0))
    again = store.claim(subtask_id, "w")
    assert again is not None
    with engine.begin() as connection:
        assert leases.claim(connection, subtask_id, "w", "token") is None
    engine.dispose()
    assert store.subtask(subtask_id) == again
