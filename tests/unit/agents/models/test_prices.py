"""What a call costs."""

from decimal import Decimal

import pytest

from agents.models.prices import cost


def test_a_known_model_has_a_price() -> None:
    """gpt-4o: 2.50 and 10 dollars a million tokens, half for what was cached."""
    assert cost(["gpt-4o"], "https://api.openai.com/v1", input_tokens=1000, output_tokens=100) == "0.0035"
    cached = cost(["gpt-4o"], "https://api.openai.com/v1", input_tokens=1000, output_tokens=100, cached_tokens=400)
    assert cached == "0.003"


def test_the_first_name_with_a_price_counts() -> None:
    """The name that the server reports is tried before the one that was asked for."""
    price = cost(["my-deployment", "gpt-4o"], None, input_tokens=1_000_000, output_tokens=0)
    assert price is not None
    assert Decimal(price) == Decimal("2.5")


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("fake", None),
        ("no-such-model", "https://api.openai.com/v1"),
        ("llama3.1:8b", "http://localhost:11434/v1"),
        ("deepseek-r1:7b", "http://localhost:11434/v1"),
    ],
)
def test_an_unknown_model_has_none(name: str, address: str | None) -> None:
    """Nothing is invented; a model on this machine costs nothing that we know."""
    assert cost([name], address, input_tokens=10, output_tokens=10) is None


def test_more_cached_than_sent_is_not_believed() -> None:
    """A server that counts wrongly does not break the price."""
    price = cost(["gpt-4o"], None, input_tokens=100, output_tokens=0, cached_tokens=500)
    assert price == "0.000125"


def test_a_proxy_with_a_makers_model_has_the_makers_price() -> None:
    """Behind an address that no list knows, the maker's own name tells the price."""
    assert cost(["gpt-4o"], "http://127.0.0.1:4000/v1", input_tokens=1000, output_tokens=100) == "0.0035"
