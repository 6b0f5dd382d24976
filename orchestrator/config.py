"""Settings: the only reader of the environment."""

import os
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

import platformdirs
from pydantic import Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from orchestrator.domain.budget import Allowance, Purse
from orchestrator.domain.budget_words import allowance, tariff
from orchestrator.domain.effect import GRACE
from orchestrator.domain.rates import Rate, Rates, read_rates
from orchestrator.errors import ConfigError


class Settings(BaseSettings):
    """What the environment says, checked; read once by `load_settings`, then handed on."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore", populate_by_name=True, env_ignore_empty=True)

    home: Annotated[Path, Field(alias="REMIT_HOME")] = Path(platformdirs.user_data_dir("remit", appauthor=False))
    """Folder of embedded services, the SQLite file, blobs, traces and logs; readable by its owner only."""
    broker_url: Annotated[str | None, Field(alias="REMIT_BROKER_URL")] = None
    """`redis://…` of a broker shared by many machines; None: embedded."""
    database_url: Annotated[str | None, Field(alias="REMIT_DATABASE_URL")] = None
    """`postgresql://…` or `sqlite:///…`; None: embedded."""
    blobs: Annotated[Path | None, Field(alias="REMIT_BLOBS")] = None
    """Folder of the blobs, shared by all machines; None: under `home`."""
    instance: Annotated[str, Field(alias="REMIT_INSTANCE", pattern=r"^[a-z0-9-]{1,40}$")] = "remit"
    """Prefix of every key on the broker: two instances may share one."""
    model: Annotated[str | None, Field(alias="REMIT_MODEL")] = None
    """Model of every agent whose team names none; None and no key: playbooks."""
    fallbacks: Annotated[str, Field(alias="REMIT_FALLBACKS")] = ""
    """Models that stand in for `model` when it does not answer or refuses, in this order: `gpt-4o, gpt-4o-mini`."""
    openai_api_key: Annotated[SecretStr | None, Field(alias="OPENAI_API_KEY")] = None
    openai_base_url: Annotated[str | None, Field(alias="OPENAI_BASE_URL")] = None
    threads: Annotated[int, Field(alias="REMIT_THREADS", ge=1, le=2000)] = 16
    """Turns a worker process runs at the same time."""
    lease_seconds: Annotated[float, Field(alias="REMIT_LEASE_SECONDS", ge=1)] = 30.0
    """How long a worker's claim lives without a renewal."""
    grace_seconds: Annotated[float, Field(alias="REMIT_GRACE_SECONDS", ge=1, le=3600)] = GRACE.total_seconds()
    """How long after its deadline a call with an effect may still be on its way; nobody asks about it before."""
    rpm: Annotated[int | None, Field(alias="REMIT_RPM", ge=1, le=10**9)] = None
    """Requests a minute that each model takes, of all workers together; None: as its endpoint says."""
    tpm: Annotated[int | None, Field(alias="REMIT_TPM", ge=1, le=10**12)] = None
    """Tokens a minute, of input and output."""
    rates_file: Annotated[Path | None, Field(alias="REMIT_RATES")] = None
    """A TOML file with a table for each model that has its own rate: `["gpt-4o"]`, `rpm = 500`, `tpm = 30000`."""
    budget_month: Annotated[str, Field(alias="REMIT_BUDGET_MONTH")] = ""
    """What all runs together may use in a calendar month (UTC): `500 USD`, or `500 USD, 20000000 tokens`."""
    worst_price: Annotated[str, Field(alias="REMIT_WORST_PRICE")] = "15/75"
    """Dollars for a million tokens of input/output that a model without a known price counts in a limited run."""
    web_allow: Annotated[str, Field(alias="REMIT_WEB_ALLOW")] = ""
    """Hosts and networks that `web.fetch` may reach although they are not public: `wiki.intern, 10.1.0.0/16`."""
    web_only: Annotated[str, Field(alias="REMIT_WEB_ONLY")] = ""
    """The only hosts that `web.fetch` may reach, `*.wikipedia.org, arxiv.org`; empty: every public one."""
    arxiv_url: Annotated[str, Field(alias="REMIT_ARXIV_URL", pattern=r"^https?://\S+$")] = (
        "https://export.arxiv.org/api/query"
    )
    chaos: Annotated[Path | None, Field(alias="REMIT_CHAOS")] = None
    """Folder with a plan of faults for this process to meet; set by `remit chaos` for the workers it breaks."""
    log_level: Annotated[Literal["DEBUG", "INFO", "WARNING", "ERROR"], Field(alias="REMIT_LOG")] = "INFO"
    runtime_dir: Annotated[Path | None, Field(alias="XDG_RUNTIME_DIR")] = None
    """The user's own folder for sockets, when the platform has one."""
    otlp_endpoint: Annotated[str | None, Field(alias="OTEL_EXPORTER_OTLP_ENDPOINT")] = None
    otlp_traces_endpoint: Annotated[str | None, Field(alias="OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")] = None

    @model_validator(mode="after")
    def _both_urls_or_none(self) -> "Settings":
        if (self.broker_url is None) != (self.database_url is None):
            given, absent = ("REMIT_BROKER_URL", "REMIT_DATABASE_URL")
            if self.broker_url is None:
                given, absent = absent, given
            message = f"{given} is set but {absent} is not. Set both for many machines, or neither for this one alone."
            raise ValueError(message)
        return self

    @model_validator(mode="after")
    def _purse_and_rates_can_be_read(self) -> "Settings":
        _ = self.purse, self.rates
        return self

    @cached_property
    def purse(self) -> Purse:
        """What the installation allows. Raises ConfigError."""
        month = allowance(self.budget_month, "REMIT_BUDGET_MONTH") if self.budget_month.strip() else Allowance()
        return Purse(month=month, tariff=tariff(self.worst_price, "REMIT_WORST_PRICE"))

    @cached_property
    def rates(self) -> Rates:
        """What the models take. Raises ConfigError."""
        every = Rate(rpm=self.rpm, tpm=self.tpm)
        if self.rates_file is None:
            return Rates(every=every)
        try:
            text = self.rates_file.expanduser().read_text("utf-8")
        except (OSError, RuntimeError, UnicodeDecodeError) as error:  # RuntimeError: nobody has the home of `~name`
            raise ConfigError(f"`{self.rates_file}` cannot be read ({error})", where="REMIT_RATES") from None
        return read_rates(text, str(self.rates_file), every)

    @property
    def embedded(self) -> bool:
        """True when Remit brings its own broker, worker and database."""
        return self.broker_url is None

    @cached_property
    def database(self) -> str:
        """The database's URL, embedded or given."""
        return self.database_url or f"sqlite:///{self.home / 'remit.db'}"

    @cached_property
    def blob_folder(self) -> Path:
        """Where blobs are kept."""
        return self.blobs or self.home / "blobs"

    def for_tools(self) -> dict[str, str]:
        """What tools may read of these settings; they see no environment."""
        return {
            "web_allow": self.web_allow,
            "web_only": self.web_only,
            "arxiv_url": self.arxiv_url,
            "cache": str(self.home.absolute() / "cache"),
        }


def environment() -> dict[str, str]:
    """A copy of this process's whole environment, for processes that are started."""
    return dict(os.environ)


def load_settings() -> Settings:
    """Read and check the environment. Raises ConfigError with one line."""
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(str(part) for part in first["loc"]) or None
        what = str(first["msg"]).removeprefix("Value error, ")
        given = first["input"]
        raise ConfigError(f"{what}, not `{given[:60]}`" if isinstance(given, str) else what, where=name) from None
