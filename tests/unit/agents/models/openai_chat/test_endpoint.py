"""Where models are asked."""

import pytest

from agents.models.openai_chat.endpoint import Endpoint
from orchestrator.errors import ConfigError


@pytest.mark.parametrize(
    ("url", "address"),
    [
        (None, "https://api.openai.com/v1"),
        ("", "https://api.openai.com/v1"),
        (" http://localhost:11434/v1/ ", "http://localhost:11434/v1"),
        ("http://h/v1/chat/completions", "http://h/v1"),
        ("http://h/v1/chat/completions/", "http://h/v1"),
        ("https://x.openai.azure.com/openai/v1/", "https://x.openai.azure.com/openai/v1"),
        ("https://h/openai/deployments/d/chat/completions?api-version=2024-10-21", "https://h/openai/deployments/d"),
    ],
)
def test_addresses_are_tidied(url: str | None, address: str) -> None:
    """Blanks, a slash at the end and the path of chat completions are taken off."""
    assert Endpoint(url, "sk-test").address == address


def test_a_query_goes_behind_the_path() -> None:
    """Azure's older addresses carry a version, and want the key in a header of their own; others are sent none."""
    azure = Endpoint("https://h/openai/deployments/d?api-version=2024-10-21&x=%C3%A9", "k-12345")
    assert (azure.query, azure.headers) == ({"api-version": "2024-10-21", "x": "é"}, {"api-key": "k-12345"})
    usual = Endpoint("http://h/v1", "sk-test")
    assert (usual.query, usual.headers) == ({}, {})
    assert azure.shown == "https://h/openai/deployments/d"


@pytest.mark.parametrize("url", ["localhost:11434", "ftp://h/v1", "http://", "not an address", "/v1"])
def test_what_is_no_address_is_refused(url: str) -> None:
    """The line names the setting and shows how to write it."""
    with pytest.raises(ConfigError, match=r"^OPENAI_BASE_URL: `.*` is no address of a model server\. Write it like"):
        Endpoint(url, "sk-test")


@pytest.mark.parametrize("key", ["sk 1", "sk-ключ", "sk\n1"])
def test_what_is_no_key_is_refused(key: str) -> None:
    """A key pasted with rubbish would fail as a broken connection much later; it is not repeated in the message."""
    with pytest.raises(ConfigError, match="OPENAI_API_KEY") as caught:
        Endpoint(None, key)
    assert key not in str(caught.value)


def test_openai_needs_a_key_and_others_may_not() -> None:
    """Only a server of one's own may be asked without a key."""
    with pytest.raises(ConfigError, match="needs a key"):
        Endpoint()
    assert Endpoint("http://localhost:11434/v1").key == ""


def test_secrets_are_not_shown() -> None:
    """Neither the key nor a password in the address gets into a message."""
    endpoint = Endpoint("https://user:secret@host:8443/v1", " sk-secret\n")
    assert "sk-secret" not in repr(endpoint)
    assert endpoint.key == "sk-secret"
    assert endpoint.shown == "https://host:8443/v1"
