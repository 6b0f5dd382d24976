"""The supervisor's socket: who holds the services, and who is cut off."""

import selectors
import socket
import tempfile
import time
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path

import pytest

from workers.embedded.control import Control, Holder
from workers.embedded.protocol import LONGEST_LINE, Reply, Request, State, encode

STATE = State("redis+socket:///s", 1, broker_ready=True, broker_starts=1, supervisor_pid=2)


class Bench:
    """A control socket, its loop, and what came of it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.selector = selectors.DefaultSelector()
        self.asked: list[tuple[Holder, Request]] = []
        self.said: list[str] = []
        self.control = Control(path, self.selector, self._note, self.said.append)

    def _note(self, holder: Holder, request: Request) -> None:
        self.asked.append((holder, request))

    def connect(self) -> socket.socket:
        """A command's end of a new connection, accepted."""
        link = socket.socket(socket.AF_UNIX)
        link.settimeout(5)
        link.connect(str(self.path))
        self.control.accept()
        return link

    def turn(self) -> None:
        """Do what the loop would do now."""
        deadline = time.monotonic() + 60
        while not (events := self.selector.select(0.1)):
            assert time.monotonic() < deadline, "nothing happened"
        for key, _ in events:
            key.data()


@pytest.fixture
def bench() -> Generator[Bench]:
    """A control socket in a short folder."""
    with tempfile.TemporaryDirectory(prefix="r", dir="/tmp") as name:
        bench = Bench(Path(name) / "c.sock")
        yield bench
        bench.control.close()
        bench.selector.close()


def test_a_connection_holds_until_it_ends(bench: Bench) -> None:
    """Held by two, by one, by none."""
    assert not bench.control.held
    first, second = bench.connect(), bench.connect()
    first.close()
    bench.turn()
    assert bench.control.held
    second.close()
    bench.turn()
    assert not bench.control.held


def test_one_that_leaves_stays_connected_but_does_not_hold(bench: Bench) -> None:
    """It waits for the end of the services without keeping them."""
    with bench.connect() as link:
        link.sendall(encode(Request(1, "leave")))
        bench.turn()
        ((holder, request),) = bench.asked
        assert request == Request(1, "leave")
        holder.left = True
        assert not bench.control.held
        assert bench.control.has(holder)


def test_requests_in_pieces_and_in_bunches(bench: Bench) -> None:
    """Lines are cut where they end."""
    with bench.connect() as link:
        data = b"".join(encode(Request(number, "status")) for number in (1, 2, 3))
        for piece in (data[:10], data[10:-5], data[-5:]):
            link.sendall(piece)
            bench.turn()
        assert [request.number for _, request in bench.asked] == [1, 2, 3]


@pytest.mark.parametrize("rubbish", [b"hello\n", b"{}\n", b"x" * (LONGEST_LINE + 1)])
def test_rubbish_cuts_the_connection(bench: Bench, rubbish: bytes) -> None:
    """One line says why; a line without end does not fill the memory."""
    with bench.connect() as link:
        link.settimeout(0.0)
        unsent = rubbish
        while bench.control.held:
            with suppress(BlockingIOError):
                unsent = unsent[link.send(unsent) :]
            bench.turn()
    assert len(bench.said) == 1
    assert bench.said[0].startswith("a connection was cut: ")


def test_a_command_that_does_not_read_is_cut(bench: Bench) -> None:
    """Its unread replies do not hold up the supervisor."""
    with bench.connect() as link:
        link.sendall(encode(Request(1, "status")))
        bench.turn()
        ((holder, _),) = bench.asked
        for _ in range(100_000):
            if not bench.control.has(holder):
                break
            bench.control.reply(holder, Reply(1, STATE))
        assert not bench.control.held


def test_after_closing_nobody_can_connect(bench: Bench) -> None:
    """The file is gone, and who had connected but was not taken is told."""
    with socket.socket(socket.AF_UNIX) as early, socket.socket(socket.AF_UNIX) as late:
        early.settimeout(5)
        early.connect(str(bench.path))
        bench.control.close_listener()
        try:
            told = early.recv(1)
        except ConnectionResetError:
            told = b""
        assert told == b""
        with pytest.raises(FileNotFoundError):
            late.connect(str(bench.path))
    bench.control.close_listener()


def test_a_socket_of_somebody_else_is_left_alone(bench: Bench) -> None:
    """When the file was replaced we are not reachable, and do not remove what is not ours."""
    assert bench.control.reachable()
    bench.path.unlink()
    assert not bench.control.reachable()
    bench.path.touch()
    assert not bench.control.reachable()
    bench.control.close_listener()
    assert bench.path.exists()


def test_a_stale_socket_is_replaced(bench: Bench) -> None:
    """What a killed supervisor left is no hindrance."""
    with tempfile.TemporaryDirectory(prefix="r", dir="/tmp") as name:
        path = Path(name) / "c.sock"
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(str(path))
        other = Bench(path)
        with other.connect():
            assert other.control.held
        other.control.close()
        other.selector.close()
