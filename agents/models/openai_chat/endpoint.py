"""Where models are asked: an address, a key, and the model to ask when a team names none."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit

from orchestrator.errors import ConfigError

OPENAI = "https://api.openai.com/v1"
AZURE_VERSION = "api-version"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One OpenAI-compatible endpoint. Raises ConfigError where an address or a key cannot be one."""

    base_url: str | None = None
    """None: OpenAI's own."""
    api_key: str | None = field(default=None, repr=False)
    """None: the server asks for none, as local servers do."""
    model: str | None = None

    def __post_init__(self) -> None:
        parts = urlsplit(self.address)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ConfigError(
                f"`{self.base_url}` is no address of a model server",
                where="OPENAI_BASE_URL",
                mend="Write it like https://api.openai.com/v1 or http://localhost:11434/v1.",
            )
        if self.api_key and not (self.key.isascii() and self.key.isprintable() and " " not in self.key):
            raise ConfigError(
                "the key holds blanks or characters that no key has", where="OPENAI_API_KEY", mend="Copy it again."
            )
        if not self.key and self.address == OPENAI:
            raise ConfigError(
                "OpenAI's endpoint needs a key, and there is none",
                where="OPENAI_API_KEY",
                mend="Set it, or set OPENAI_BASE_URL to a server that needs none.",
            )

    @property
    def address(self) -> str:
        """The base of every URL; the path of chat completions is ours to add, and the query comes behind it."""
        url = urlsplit(self._written)._replace(query="", fragment="").geturl()
        return url.rstrip("/").removesuffix("/chat/completions").rstrip("/")

    @property
    def query(self) -> Mapping[str, str]:
        """What is sent with every URL, such as Azure's `api-version`."""
        return dict(parse_qsl(urlsplit(self._written).query))

    @property
    def headers(self) -> Mapping[str, str]:
        """Sent with every request: Azure's addresses with a version want the key in a header of their own."""
        return {"api-key": self.key} if AZURE_VERSION in self.query and self.key else {}

    @property
    def _written(self) -> str:
        return (self.base_url or "").strip() or OPENAI

    @property
    def shown(self) -> str:
        """The address without a user and a password in it, for messages."""
        parts = urlsplit(self.address)
        return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()

    @property
    def key(self) -> str:
        """The key to send; empty when there is none."""
        return (self.api_key or "").strip()
