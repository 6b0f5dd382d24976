"""An MCP server as a team declares it, and what it offered of the picked tools when a run was opened."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, model_validator

from orchestrator.domain.goal import Name
from orchestrator.domain.record import Record
from orchestrator.domain.withholding import find

SaidEffect = Literal["read", "idempotent", "unsafe"]
"""What a team may say of a server's tool; `keyed` is not among them, since MCP has no place for a key."""

_SECRET_WORDS = frozenset(
    {"key", "apikey", "token", "secret", "password", "passwd", "pwd", "credential", "credentials", "authorization"}
    | {"auth", "cookie"}
)
_REFERENCE = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*\}")


def _listed(value: object) -> object:
    if isinstance(value, str):
        raise ValueError('write it as a list, such as ["python", "server.py"]')  # pydantic's way
    return value


class McpSection(Record):
    """`[mcp.NAME]`: how the server is reached, and what its tools do to the world.

    `${VARIABLE}` in any of its texts is replaced on the worker by that environment variable. So a secret is named
    here, never written: what stands in a team file is stored with every run.
    """

    command: Annotated[Annotated[tuple[str, ...], Field(min_length=1)] | None, BeforeValidator(_listed)] = None
    """A program that speaks MCP on its standard input and output; it starts in the folder of the team file."""
    url: str | None = None
    """The address of a server that speaks streamable HTTP."""
    env: dict[str, str] = Field(default_factory=dict)
    """Variables for the program; of the worker's own it sees only HOME, PATH and the like."""
    headers: dict[str, str] = Field(default_factory=dict)
    """Headers of every request to `url`."""
    seconds: Annotated[float, Field(gt=0)] = 30.0
    """How long a call may take."""
    start_seconds: Annotated[float, Field(gt=0)] = 30.0
    """How long the server may take until it has listed its tools."""
    effects: dict[str, SaidEffect] = Field(default_factory=dict)
    """Tool → what it does; it counts only where the server's own annotations say the same."""

    @model_validator(mode="after")
    def _reached_in_one_way(self) -> "McpSection":
        if (self.command is None) == (self.url is None):
            raise ValueError("it needs either `command` or `url`")
        if self.url is not None and not _REFERENCE.match(self.url):
            parts = urlsplit(self.url)
            if parts.scheme not in {"http", "https"} or not parts.hostname:
                raise ValueError(f"`url` has to begin with http:// or https://, not `{self.url[:60]}`")
            if parts.password or parts.username:
                raise ValueError("`url` holds a user or a password; send them as a header")
        if self.url is not None and self.env:
            raise ValueError("`env` is for a `command`; a `url` takes `headers`")
        if self.command is not None and self.headers:
            raise ValueError("`headers` are for a `url`; a `command` takes `env`")
        return self

    @model_validator(mode="after")
    def _no_secret_in_clear(self) -> "McpSection":
        for table, values in (("env", self.env), ("headers", self.headers)):
            for name, value in values.items():
                if value and not _REFERENCE.search(value) and _is_secret(name, value):
                    raise ValueError(
                        f"`{table}.{name}` holds a secret; name a variable of the workers: `${{{_like(name)}}}`"
                    )
        for text in (*(self.command or ()), self.url or ""):
            if find(text, ("secrets",)):
                raise ValueError("it holds a secret; name a variable of the workers instead: `${VARIABLE}`")
        return self


class Offer(Record):
    """One tool as its server described it when the run was opened; models are told this, and nothing newer."""

    name: str
    description: str
    arguments: dict[str, Any]
    """The JSON Schema of its arguments."""
    effect: SaidEffect


class McpServer(McpSection):
    """A declared server with its name and, in a pinned team, what it offered."""

    name: Name
    folder: str
    """Where the team file stood."""
    offers: tuple[Offer, ...] = ()

    def offer(self, tool: str) -> Offer | None:
        """What is known of the picked tool."""
        return next((one for one in self.offers if one.name == tool), None)

    def way(self) -> str:
        """How the server is reached; servers with the same way are one."""
        return self.model_dump_json(include={"name", "folder", "command", "url", "env", "headers", "start_seconds"})

    def texts(self) -> Mapping[str, str]:
        """Everything in which variables may be named, by its key."""
        texts = {f"command.{place}": text for place, text in enumerate(self.command or ())}
        texts |= {"url": self.url} if self.url else {}
        texts |= {f"env.{name}": text for name, text in self.env.items()}
        return texts | {f"headers.{name}": text for name, text in self.headers.items()}


def _is_secret(name: str, value: str) -> bool:
    last = re.split(r"[^A-Za-z]+", name.casefold())[-1]
    return last in _SECRET_WORDS or bool(find(f"{name}: {value}", ("secrets",)))


def _like(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "_", name).upper()
