"""Rates as they are configured: for every model, for some, and as a share."""

import pytest

from orchestrator.domain.rates import Rate, read_rates
from orchestrator.errors import ConfigError

EVERY = Rate(rpm=100, tpm=9000)


def test_a_model_has_its_own_rate_or_that_of_all() -> None:
    """What its table leaves out is that of every model."""
    rates = read_rates('["gpt-4o"]\nrpm = 500\n\n[small]\ntpm = 7\n', "rates.toml", EVERY)
    assert rates.of("gpt-4o") == Rate(rpm=500, tpm=9000)
    assert rates.of("small") == Rate(rpm=100, tpm=7)
    assert rates.of("other") == EVERY


def test_a_share_is_never_nothing_and_never_more() -> None:
    """One of several processes; what is not known stays so."""
    assert Rate(rpm=10, tpm=3).shared_by(4) == Rate(rpm=2, tpm=1)
    assert Rate(rpm=10).shared_by(0) == Rate(rpm=10)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[a", "it is no valid TOML"),
        ("[a]\nrpm = 0", "`a.rpm`: input should be greater than or equal to 1"),
        ("[a]\nrmp = 5", "`a.rmp`: extra inputs are not permitted"),
        ("a = 5", "`a` is no table of a model"),
        ("rpm = 500", "`rpm` is no table of a model"),
        ('[a]\nrpm = "many"', "`a.rpm`: input should be a valid integer"),
        ('[a]\nrpm = "5"', "`a.rpm`: input should be a valid integer"),
        ("[a]\nrpm = true", "`a.rpm`: input should be a valid integer"),
        ("[a]\ntpm = 5.0", "`a.tpm`: input should be a valid integer"),
        ("[a]\ntpm = nan", "`a.tpm`: input should be a valid integer"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_line(text: str, said: str) -> None:
    """What is wrong, and where."""
    with pytest.raises(ConfigError) as caught:
        read_rates(text, "rates.toml", EVERY)
    assert said in str(caught.value)
    assert "rates.toml" in str(caught.value)
    assert "\n" not in str(caught.value).split("rates.toml")[0]
