"""The store over SQL: SQLite for one machine, PostgreSQL for many."""

from orchestrator.adapters.sql.opening import open_store, temporary_store

__all__ = ["open_store", "temporary_store"]
