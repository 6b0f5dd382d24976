"""Settings: what the environment may say, and what tools are told of it."""

from decimal import Decimal
from pathlib import Path

import pytest

from orchestrator.config import load_settings
from orchestrator.domain.budget import Allowance, Purse, Tariff
from orchestrator.domain.rates import Rate
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


def test_the_installations_budget(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Exact amounts; a call without a known price counts as if it were dear."""
    monkeypatch.setenv("REMIT_HOME", str(tmp_path))
    assert load_settings().purse == Purse()
    monkeypatch.setenv("REMIT_BUDGET_MONTH", "500 USD, 20_000_000 tokens")
    monkeypatch.setenv("REMIT_WORST_PRICE", "0.5/1.5")
    assert load_settings().purse == Purse(
        month=Allowance(cost=Decimal(500), tokens=20_000_000), tariff=Tariff(input=500_000, output=1_500_000)
    )


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("REMIT_BUDGET_MONTH", "500", "REMIT_BUDGET_MONTH: `500` is no amount"),
        ("REMIT_WORST_PRICE", "dear", "REMIT_WORST_PRICE: `dear` is no price"),
        ("REMIT_GRACE_SECONDS", "0", "REMIT_GRACE_SECONDS: Input should be greater than or equal to 1"),
        ("REMIT_GRACE_SECONDS", "soon", "REMIT_GRACE_SECONDS: Input should be a valid number"),
    ],
)
def test_amounts_that_cannot_be_read(monkeypatch: pytest.MonkeyPatch, name: str, value: str, told: str) -> None:
    """They are refused before anything is begun."""
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError) as caught:
        load_settings()
    assert str(caught.value).startswith(told)
    assert "\n" not in str(caught.value)


def test_what_is_set_to_nothing_is_not_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As in a file of variables where some are left empty: no rate, no file of rates, the usual price."""
    monkeypatch.setenv("REMIT_HOME", str(tmp_path))
    usual = load_settings()
    for name in ("RPM", "TPM", "RATES", "BUDGET_MONTH", "WORST_PRICE", "THREADS", "GRACE_SECONDS", "BROKER_URL"):
        monkeypatch.setenv(f"REMIT_{name}", "")
    assert load_settings() == usual


def test_rates_of_models(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Every model has the variables' rate, those in the file their own."""
    monkeypatch.setenv("REMIT_RPM", "60")
    assert load_settings().rates.of("m") == Rate(rpm=60)
    (tmp_path / "rates.toml").write_text('["m"]\ntpm = 900\n', encoding="utf-8")
    monkeypatch.setenv("REMIT_RATES", str(tmp_path / "rates.toml"))
    assert load_settings().rates.of("m") == Rate(rpm=60, tpm=900)


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("REMIT_RPM", "0", "REMIT_RPM: Input should be greater than or equal to 1, not `0`"),
        (
            "REMIT_RPM",
            "nan",
            "REMIT_RPM: Input should be a valid integer, unable to parse string as an integer, not `nan`",
        ),
        (
            "REMIT_RPM",
            "９",
            "REMIT_RPM: Input should be a valid integer, unable to parse string as an integer, not `９`",
        ),
        ("REMIT_TPM", "many", "REMIT_TPM: Input should be a valid integer"),
        ("REMIT_RATES", "no/such.toml", "REMIT_RATES: `no/such.toml` cannot be read"),
        ("REMIT_RATES", "~no-such-user/rates.toml", "REMIT_RATES: `~no-such-user/rates.toml` cannot be read"),
    ],
)
def test_rates_that_cannot_be_read(monkeypatch: pytest.MonkeyPatch, name: str, value: str, told: str) -> None:
    """They are refused before anything is begun."""
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError) as caught:
        load_settings()
    assert str(caught.value).startswith(told)
    assert "\n" not in str(caught.value)


def test_an_endpoint_that_is_no_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one line that names the variable."""
    monkeypatch.setenv("REMIT_ARXIV_URL", "file:///etc/passwd")
    with pytest.raises(ConfigError) as caught:
        load_settings()
    assert "REMIT_ARXIV_URL" in str(caught.value)
    assert "\n" not in str(caught.value)
