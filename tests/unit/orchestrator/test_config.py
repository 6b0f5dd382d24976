"""Settings: what the environment may say, and what tools are told of it."""

from pathlib import Path

import pytest

from orchestrator.config import load_settings
from orchestrator.errors import ConfigError


def test_tools_are_told_what_concerns_them_and_nothing_else(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The network they may reach, their endpoints and their cache; no key."""
    monkeypatch.setenv("REMIT_HOME", str(tmp_path))
    monkeypatch.setenv("REMIT_WEB_ALLOW", "wiki.intern, 10.1.0.0/16")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.delenv("REMIT_ARXIV_URL", raising=False)
    monkeypatch.delenv("REMIT_WEB_ONLY", raising=False)
    assert load_settings().for_tools() == {
        "web_allow": "wiki.intern, 10.1.0.0/16",
        "web_only": "",
        "arxiv_url": "https://export.arxiv.org/api/query",
        "cache": str(tmp_path / "cache"),
    }


def test_an_endpoint_that_is_no_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one line that names the variable."""
    monkeypatch.setenv("REMIT_ARXIV_URL", "file:///etc/passwd")
    with pytest.raises(ConfigError) as caught:
        load_settings()
    assert "REMIT_ARXIV_URL" in str(caught.value)
    assert "\n" not in str(caught.value)
