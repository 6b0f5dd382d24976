"""What a wake-up looks like on the wire: its task name, its queue, its keys, and the broker URLs that can be used.

The worker's side (`workers.celery_settings`) builds on these same values, so the two cannot drift apart.

URLs that Kombu 5.7 understands and Remit takes:

    redis://[user:password@]host[:port][/db]         TCP
    rediss://[user:password@]host[:port][/db]        TLS; certificates are checked unless ?ssl_cert_reqs=none is given
    redis+socket:///absolute/path[?virtual_host=db]  a Unix socket; percent-escapes in the path are resolved

`unix://` is redis-py's own spelling of the third, and `socket://` alone is half of it; Kombu knows neither.
A Unix socket's path has at most 107 bytes.
"""

import ssl
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from urllib.parse import unquote, urlsplit

from orchestrator.domain.subtask import Lane
from orchestrator.errors import ConfigError

TURN = "remit.turn"
"""The name of the worker's only Celery task; its only argument is the subtask's id."""

QUEUES: Mapping[Lane, str] = {"interactive": "turns", "batch": "turns.batch"}

SOCKET_PATH_LIMIT = 107

_MEND = "Use redis://host:6379/0, rediss://host:6379/0 or redis+socket:///absolute/path."


def queue_of(lane: Lane = "interactive") -> str:
    """The queue that carries the wake-ups of a lane."""
    return QUEUES[lane]


@dataclass(frozen=True, slots=True)
class TransportOptions:
    """Kombu's options of one connection to the broker; without time limits a dead peer is waited for for ever."""

    global_keyprefix: str
    socket_timeout: float
    socket_connect_timeout: float
    health_check_interval: int = 10
    """Seconds after which an idle connection proves that it lives; also how overdue an answer to BRPOP may be."""
    socket_keepalive: bool = True
    ack_emulation: bool = False
    """Off: nothing is kept of a message that was delivered; a lost one is sent again by the sweeper."""
    queue_order_strategy: str = "orchestrator.adapters.celery_broker.lanes:LaneCycle"

    def as_kombu(self) -> dict[str, object]:
        """As Kombu takes them."""
        return asdict(self)


def key_prefix(instance: str) -> str:
    """What every key of this instance begins with, so that two instances can share a broker."""
    return f"{instance}:"


def check_broker_url(url: str) -> str:
    """The URL itself. Raises ConfigError when Kombu could not use it as a Redis broker."""
    parts = urlsplit(url)
    if parts.scheme == "redis+socket":
        _check_socket(url, unquote(parts.path), parts.netloc)
    elif parts.scheme in ("redis", "rediss"):
        _check_host(url)
    else:
        scheme = f"{parts.scheme}://" if parts.scheme else "no scheme"
        raise ConfigError(f"a broker URL with {scheme} cannot be used", where="REMIT_BROKER_URL", mend=_MEND)
    return url


def tls_of(url: str) -> dict[str, object] | None:
    """Options of an encrypted connection. Without any Kombu would accept every certificate."""
    if not url.startswith("rediss://"):
        return None
    return {"ssl_cert_reqs": ssl.CERT_REQUIRED, "ssl_check_hostname": True}


def without_password(url: str) -> str:
    """The URL as it may be shown."""
    parts = urlsplit(url)
    if parts.password is None:
        return url
    return url.replace(f":{parts.password}@", ":**@", 1)


def _check_socket(url: str, path: str, host: str) -> None:
    if host or not path.startswith("/") or path == "/":
        raise ConfigError(f"{url} does not name a socket by its absolute path", where="REMIT_BROKER_URL", mend=_MEND)
    if len(path.encode()) > SOCKET_PATH_LIMIT:
        raise ConfigError(
            f"the socket's path has {len(path.encode())} bytes, {SOCKET_PATH_LIMIT} are possible",
            where="REMIT_BROKER_URL",
            mend="Put the socket into a folder with a shorter path.",
        )


def _check_host(url: str) -> None:
    parts = urlsplit(url)
    shown = without_password(url)
    try:
        port = parts.port
    except ValueError:
        port = -1
    if port == -1 or not parts.hostname:
        raise ConfigError(f"{shown} has no usable host and port", where="REMIT_BROKER_URL", mend=_MEND)
    database = parts.path.removeprefix("/")
    if database and not database.isdecimal():
        raise ConfigError(
            f"the database in {shown} is {database!r}, not a number", where="REMIT_BROKER_URL", mend=_MEND
        )
