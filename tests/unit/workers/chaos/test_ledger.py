"""The outer system does what it is asked for, as often as its kind of request allows, and records every request."""

import http.client
import json
import os
import socket
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from workers.chaos.ledger import Deed, Ledger, running_ledger
from workers.chaos.plan import Plan, write_plan


@pytest.fixture
def ledger(tmp_path: Path) -> Generator[Ledger]:
    """A ledger that does nothing to whoever asks."""
    write_plan(Plan(seed=1, round=1, most=0, stop_seconds=1), tmp_path)
    with running_ledger(tmp_path) as running:
        yield running


@pytest.fixture
def ask(ledger: Ledger) -> Callable[..., Any]:
    """Sends a request."""

    def asked(tool: str, number: int, key: str = "r1/a#1.c1.0") -> Any:
        connection = http.client.HTTPConnection(ledger.url, timeout=30)
        connection.request("POST", f"/{tool}", json.dumps({"number": number, "key": key, "pid": os.getpid()}))
        answer = json.loads(connection.getresponse().read())
        connection.close()
        return answer

    return asked


def test_each_kind_of_request(ledger: Ledger, ask: Callable[..., Any]) -> None:
    """A pay is done once a key, a put once a number, send and post as often as they are asked for."""
    for key in ("r1/a#1.c1.0", "r1/a#1.c1.0", "r1/a#2.c2.0"):
        for tool in ("put", "pay", "send", "post"):
            assert ask(tool, 7, key) == {"ok": True}
    assert ledger.deeds() == [
        Deed("r1", "pay", 7, asked=3, done=2),
        Deed("r1", "post", 7, asked=3, done=3),
        Deed("r1", "put", 7, asked=3, done=1),
        Deed("r1", "send", 7, asked=3, done=3),
    ]


def test_undoing(ledger: Ledger, ask: Callable[..., Any]) -> None:
    """A payment is taken back once a key, what is filed is taken out where it is filed, the rest as often as asked."""
    key = "r1/a#1.c1.0"
    for tool in ("put", "pay", "send", "unput", "unpay", "unsend", "unput", "unpay", "unsend", "put"):
        assert ask(tool, 7, f"{key}/back" if tool.startswith("un") else key) == {"ok": True}
    assert {deed.tool: (deed.asked, deed.done) for deed in ledger.deeds()} == {
        "pay": (1, 1),
        "put": (2, 2),
        "send": (1, 1),
        "unpay": (2, 1),
        "unput": (2, 1),
        "unsend": (2, 2),
    }
    assert ledger.happened(f"{key}/back")


def test_the_truth(ledger: Ledger, ask: Callable[..., Any]) -> None:
    """Whether a call happened is known by its key, to whoever asks over the wire or reads the file."""
    assert ask("happened", 1, "r1/a#1.c1.0") == {"happened": False}
    ask("send", 1, "r1/a#1.c1.0")
    assert ask("happened", 1, "r1/a#1.c1.0") == {"happened": True}
    assert ledger.happened("r1/a#1.c1.0")
    assert not ledger.happened("r1/a#1.c1.1")


def test_a_folder_of_any_name(tmp_path: Path) -> None:
    """What means something in a URI means nothing here."""
    folder = tmp_path / "50% ?mode=rw #1"
    write_plan(Plan(seed=1, round=1, most=0, stop_seconds=1), folder)
    with running_ledger(folder) as running:
        assert running.deeds() == []


def test_looking_changes_nothing(ledger: Ledger, ask: Callable[..., Any]) -> None:
    """A price is a function of the number."""
    assert [ask("look", number) for number in (1, 2)] == [{"price": 107}, {"price": 114}]
    assert ledger.deeds() == []


def test_a_request_that_was_cut_is_none(
    ledger: Ledger, ask: Callable[..., Any], capfd: pytest.CaptureFixture[str]
) -> None:
    """Whoever asks may be killed in the middle of it: nothing was asked, and nobody reads a traceback."""
    host, port = ledger.url.split(":")
    for sent in (b"", b'{"number": 1'):
        with socket.create_connection((host, int(port))) as line:
            line.sendall(b"POST /send HTTP/1.1\r\nHost: x\r\nContent-Length: 60\r\n\r\n" + sent)
    assert ask("send", 1) == {"ok": True}
    assert [(deed.asked, deed.done) for deed in ledger.deeds()] == [(1, 1)]
    assert capfd.readouterr().err == ""
