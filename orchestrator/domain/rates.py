"""Rates: how many requests and tokens a minute an endpoint takes, as it is configured."""

import tomllib
from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, ValidationError

from orchestrator.domain.record import Record
from orchestrator.errors import ConfigError

Each = Annotated[int | None, Field(ge=1, le=10**12, strict=True)]


class Rate(Record):
    """What one model takes in a minute; None: not known."""

    rpm: Each = None
    """Requests."""
    tpm: Each = None
    """Tokens, of input and output."""

    def shared_by(self, processes: int) -> "Rate":
        """The share of one of so many processes, never nothing."""
        return Rate(rpm=_share(self.rpm, processes), tpm=_share(self.tpm, processes))


class Rates(Record):
    """The rate of every model, and of those that have their own."""

    every: Rate = Rate()
    models: Mapping[str, Rate] = Field(default_factory=dict)

    def of(self, model: str) -> Rate:
        """The rate of a model; what its own leaves out is that of every model."""
        own = self.models.get(model, self.every)
        return Rate(rpm=own.rpm or self.every.rpm, tpm=own.tpm or self.every.tpm)


def read_rates(text: str, where: str, every: Rate) -> Rates:
    """The rates of a TOML text with a table a model: `["gpt-4o"]`, `rpm = 500`, `tpm = 30000`. Raises ConfigError."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"it is no valid TOML: {error}", where=where) from None
    return Rates(every=every, models={name: _rate(name, one, where) for name, one in content.items()})


def _rate(model: str, table: object, where: str) -> Rate:
    mend = 'Write a table for each model: ["gpt-4o"], then rpm = 500 and tpm = 30000.'
    if not isinstance(table, dict):
        raise ConfigError(f"`{model}` is no table of a model", where=where, mend=mend)
    try:
        return Rate.model_validate(table)
    except ValidationError as error:
        fault = error.errors()[0]
        key = ".".join([model, *(str(part) for part in fault["loc"])])
        raise ConfigError(f"`{key}`: {fault['msg'].lower()}", where=where, mend=mend) from None


def _share(amount: int | None, processes: int) -> int | None:
    return None if amount is None else max(1, amount // max(1, processes))
