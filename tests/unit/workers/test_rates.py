"""Among how many processes a rate is shared when its server is gone."""

from orchestrator.adapters.sql.store import SqlStore
from workers.rates import WorkerCount


class Moment:
    """A clock that is set by hand."""

    at = 1000.0

    def __call__(self) -> float:
        return self.at


def test_the_workers_that_hold_a_lease_are_counted_now_and_then(store: SqlStore) -> None:
    """At least this process; the database is asked every ten seconds."""
    moment = Moment()
    count = WorkerCount(store, moment)
    assert count() == 1
    for name in ("a", "b", "c"):
        store.register(name, 3600)
    assert count() == 1
    moment.at += 10
    assert count() == 3


def test_a_database_that_does_not_answer_leaves_the_count_as_it_was(sqlite_store: SqlStore) -> None:
    """The share is that of the last known number."""
    moment = Moment()
    count = WorkerCount(sqlite_store, moment)
    for name in ("a", "b"):
        sqlite_store.register(name, 3600)
    assert count() == 2
    sqlite_store.close()
    moment.at += 10
    assert count() == 2
