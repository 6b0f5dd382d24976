"""What the headers of endpoints say of the rate that is left."""

from datetime import UTC, datetime

import pytest

from agents.models.openai_chat.quotas import Quota, longest_wait, quotas, span

NOW = datetime(2026, 7, 1, 12, 0, 0, tzinfo=UTC)


def test_requests_and_tokens_of_a_bucket() -> None:
    """As OpenAI and many others say it."""
    headers = {
        "x-ratelimit-limit-requests": "60",
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": "1m0s",
        "x-ratelimit-limit-tokens": "150000",
        "x-ratelimit-remaining-tokens": "149984",
        "x-ratelimit-reset-tokens": "6ms",
    }
    found = quotas(headers, NOW)
    assert found == (Quota("requests", 0, 60, 60), Quota("tokens", 149_984, 0.006, 150_000))
    assert longest_wait(found, 1000) == 1.0


def test_a_window_is_empty_until_it_is_full_again() -> None:
    """Headers without a unit count requests; their reset may be a moment."""
    reset = str(int(NOW.timestamp() * 1000) + 30_000)
    found = quotas({"x-ratelimit-limit": "20", "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset}, NOW)
    assert found == (Quota("requests", 0, 30, 20, refills=False),)
    assert longest_wait(found, 0) == 30.0


def test_a_date_as_reset() -> None:
    """As Anthropic says it."""
    headers = {
        "anthropic-ratelimit-tokens-limit": "1000",
        "anthropic-ratelimit-tokens-remaining": "500",
        "anthropic-ratelimit-tokens-reset": "2026-07-01T12:00:10Z",
    }
    found = quotas(headers, NOW)
    assert found == (Quota("tokens", 500, 10, 1000),)
    assert longest_wait(found, 500) == 0.0
    assert longest_wait(found, 600) == 2.0
    assert longest_wait(found, 5000) == 10.0


def test_what_cannot_be_read_is_left_out() -> None:
    """Half of a pair, words, nonsense."""
    assert quotas({}, NOW) == ()
    assert quotas({"x-ratelimit-remaining": "3"}, NOW) == ()
    assert quotas({"x-ratelimit-remaining": "many", "x-ratelimit-reset": "1"}, NOW) == ()
    assert quotas({"x-ratelimit-remaining": "3", "x-ratelimit-reset": "soon"}, NOW) == ()
    assert quotas({"x-ratelimit-remaining": "nan", "x-ratelimit-reset": "-1"}, NOW) == ()


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1", 1.0),
        ("0.5", 0.5),
        ("1s", 1.0),
        ("6m0s", 360.0),
        ("1h2m3.5s", 3723.5),
        ("20ms", 0.02),
        ("1d", 86_400.0),
        ("1782907260", 60.0),
        ("", None),
        ("x", None),
    ],
)
def test_spans(text: str, seconds: float | None) -> None:
    """Numbers, units, moments."""
    assert span(text, NOW) == seconds
