"""A Valkey of the tests' own: it can be killed, stopped and started again."""

import signal
import subprocess
import time
from pathlib import Path

import redis

from workers.embedded.valkey import find_server


class ValkeyServer:
    """A private Valkey on a Unix socket in a short folder; it can be killed, stopped and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self.socket = folder / "s"
        self.url = f"redis+socket://{self.socket}"
        """As Kombu reads it."""

    def start(self, *arguments: str) -> None:
        """Start it and wait until it answers."""
        options = ["--port", "0", "--unixsocket", str(self.socket), "--save", "", "--dir", str(self.folder)]
        self._process = subprocess.Popen([find_server(None), *options, *arguments], stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while not self._answers():
            assert self._process.poll() is None, "Valkey ended at its start"
            assert time.monotonic() < deadline, "Valkey did not answer within a minute"
            time.sleep(0.01)

    @property
    def pid(self) -> int | None:
        """The process, if it was started."""
        return None if self._process is None else self._process.pid

    def client(self) -> redis.Redis:
        """A client of the tests' own."""
        return redis.Redis(unix_socket_path=str(self.socket), socket_timeout=5)

    def keys(self) -> set[str]:
        """All keys, whoever owns them."""
        with self.client() as client:
            return {key.decode() for key in client.scan_iter()}

    def kill(self) -> None:
        """Kill it, if it was started."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def send(self, number: signal.Signals) -> None:
        """Stop it or let it go on."""
        assert self._process is not None
        self._process.send_signal(number)

    def _answers(self) -> bool:
        try:
            with self.client() as client:
                return bool(client.ping())
        except redis.RedisError:  # not there yet, or still loading
            return False
