"""Spans of time are read as people write them, sizes are written as they read them."""

from datetime import timedelta

import pytest

from orchestrator.cli.amounts import size, span
from orchestrator.errors import InputError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("90d", timedelta(days=90)),
        ("12h", timedelta(hours=12)),
        ("8w", timedelta(weeks=8)),
        (" 1 D ", timedelta(days=1)),
        ("0h", timedelta()),
    ],
)
def test_spans(text: str, expected: timedelta) -> None:
    """Hours, days, weeks."""
    assert span(text, "--older") == expected


@pytest.mark.parametrize("text", ["", "90", "d", "-1d", "1.5d", "3m", "90 days", "999999d", "9999999h", "１d\n2d"])
def test_what_is_no_span(text: str) -> None:
    """It is said where it was written, and how it is written."""
    with pytest.raises(InputError, match="no span of time") as caught:
        span(text, "--older")
    assert str(caught.value).startswith("--older: ")
    assert "90d, 12h or 8w" in str(caught.value)


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1000, "1.0 kB"),
        (999_949, "999.9 kB"),
        (999_950, "1.0 MB"),
        (1_234_567, "1.2 MB"),
        (999_950_000, "1.0 GB"),
        (5_000_000_000_000, "5,000.0 GB"),
    ],
)
def test_sizes(count: int, expected: str) -> None:
    """In the largest unit of which there is one at least, rounded as it is shown."""
    assert size(count) == expected
