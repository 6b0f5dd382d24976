"""A command's end of the connection: replies are matched, ends are noticed, waits are bounded."""

import socket
import threading
from collections.abc import Generator
from pathlib import Path

import pytest

from orchestrator.ports.clock import Deadline
from workers.embedded.link import Link, LinkClosedError
from workers.embedded.protocol import ProtocolError, Reply, State, decode_request, encode

STATE = State("redis+socket:///s", 1, broker_ready=True, broker_starts=1, supervisor_pid=2)


@pytest.fixture
def ends() -> Generator[tuple[Link, socket.socket]]:
    """A link and the supervisor's end of it."""
    ours, theirs = socket.socketpair()
    link = Link(ours)
    with theirs:
        yield link, theirs
    link.close()


def test_a_reply_in_pieces(ends: tuple[Link, socket.socket]) -> None:
    """Pieces are put together, and what follows the line is kept for the next question."""
    link, theirs = ends
    first, second = encode(Reply(1, STATE)), encode(Reply(2, STATE, ("A",)))

    def answer() -> None:
        request = decode_request(theirs.recv(4096))
        assert (request.number, request.ask, request.watched) == (1, "hello", {"A": "1"})
        for piece in (first[:7], first[7:] + second[:5], second[5:]):
            theirs.sendall(piece)

    thread = threading.Thread(target=answer)
    thread.start()
    assert link.ask("hello", Deadline.after(5), {"A": "1"}) == Reply(1, STATE)
    thread.join()
    assert link.ask("status", Deadline.after(5)) == Reply(2, STATE, ("A",))


def test_a_late_reply_is_not_taken_for_another(ends: tuple[Link, socket.socket]) -> None:
    """The reply to a question that was given up is passed over."""
    link, theirs = ends
    with pytest.raises(TimeoutError):
        link.ask("ready", Deadline.after(0.01))
    theirs.sendall(encode(Reply(1, STATE, ("late",))) + encode(Reply(2, STATE, ("due",))))
    assert link.ask("status", Deadline.after(5)).differs == ("due",)


def test_the_other_end_closes(ends: tuple[Link, socket.socket]) -> None:
    """Noticed by a question and without one, also behind words that nobody read."""
    link, theirs = ends
    assert link.alive()
    theirs.sendall(b"unread")
    assert link.alive()
    theirs.close()
    assert not link.alive()
    with pytest.raises(LinkClosedError):
        link.ask("status", Deadline.after(5))


def test_the_other_end_closes_while_we_wait(ends: tuple[Link, socket.socket]) -> None:
    """The wait ends with it."""
    link, theirs = ends
    thread = threading.Thread(target=lambda: (theirs.recv(4096), theirs.shutdown(socket.SHUT_RDWR)))
    thread.start()
    with pytest.raises(LinkClosedError):
        link.ask("hello", Deadline.after(5))
    thread.join()


def test_a_strange_answer(ends: tuple[Link, socket.socket]) -> None:
    """It is not taken for a reply."""
    link, theirs = ends
    theirs.sendall(b"HTTP/1.1 400\n")
    with pytest.raises(ProtocolError, match="no JSON"):
        link.ask("status", Deadline.after(5))


def test_nobody_listens(tmp_path: Path) -> None:
    """No link, and no error."""
    assert Link.to(tmp_path / "absent") is None
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(tmp_path / "dead"))
        assert Link.to(tmp_path / "dead") is None
    assert Link.to(tmp_path / ("x" * 200)) is None
