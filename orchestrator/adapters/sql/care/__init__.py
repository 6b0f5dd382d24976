"""Care of the database behind a URL: migrating, checking, tidying, backing up, removing what is old."""

from orchestrator.adapters.sql.care.sql_care import open_care

__all__ = ["open_care"]
