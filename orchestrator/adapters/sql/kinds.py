"""Column types whose values are the same on every database."""

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import BigInteger, Dialect, String, Text
from sqlalchemy.dialects import postgresql
from sqlalchemy.types import TypeDecorator, TypeEngine

from orchestrator.errors import DefectError

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class UtcTime(TypeDecorator[datetime]):
    """A moment in UTC, to the microsecond: `timestamptz` on PostgreSQL, microseconds since 1970 on SQLite."""

    impl = BigInteger
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """The database's own type."""
        if dialect.name == "postgresql":
            return dialect.type_descriptor(postgresql.TIMESTAMP(timezone=True))
        return dialect.type_descriptor(BigInteger())

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        """Refuse naive times: nobody knows what they mean."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise DefectError("a time without a zone cannot be stored", where=str(value))
        if dialect.name == "postgresql":
            return value
        return (value - _EPOCH) // _MICROSECOND

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """Always aware, always UTC."""
        if value is None:
            return None
        if dialect.name == "postgresql":
            return value.astimezone(UTC)
        return _EPOCH + timedelta(microseconds=value)


class Words(TypeDecorator[str]):
    """Free text from outside: what no database can keep (NUL, half a surrogate pair) becomes a replacement mark."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002  # the base's
        """Replace what cannot be kept."""
        return None if value is None else storable(value)


class Id(TypeDecorator[str]):
    """An id: ordered by code points everywhere, so that a beginning of an id is a range of an index."""

    impl = String
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """The database's own type."""
        if dialect.name == "postgresql":
            return dialect.type_descriptor(String(collation="C"))
        return dialect.type_descriptor(String())

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002  # the base's
        """An id from outside that no database can keep is simply not found."""
        return None if value is None else storable(value)


def storable(text: str) -> str:
    """The text without NUL and halves of surrogate pairs."""
    return whole(text).replace("\x00", "\ufffd")


def whole(text: str) -> str:
    """The text with its surrogate pairs joined, and a replacement mark for each half."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
