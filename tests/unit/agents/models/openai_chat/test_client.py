"""Reading how long a server wants to be left alone."""

from datetime import UTC, datetime

import pytest

from agents.models.openai_chat.client import asked_wait

NOW = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Thu, 01 Jan 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Thu, 01 Jan 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
    ],
)
def test_reads_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    """Seconds, milliseconds or a date; anything else is as if it were not there."""
    assert asked_wait(headers, NOW) == seconds
