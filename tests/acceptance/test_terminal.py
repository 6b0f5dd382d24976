"""At a terminal: live progress, a question asked on the spot, and Ctrl-C."""

import os
import pty
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

LEFT = [["invoice", "date", "amount"], ["INV-1001", "2026-03-01", "900.00"], ["INV-1002", "2026-03-02", "7.00"]]
RIGHT = [["text", "date", "amount"], ["INV-1001", "2026-03-02", "641.27"], ["INV-1002", "2026-03-02", "7.00"]]
CONTROL = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


def _heed_interrupts() -> None:
    """Whoever runs the tests in the background has Ctrl-C ignored, and its children inherit that."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


class Terminal:
    """A command at a terminal; what it wrote so far is in `text`, without colours and movements."""

    def __init__(self, remit: Any, arguments: Sequence[str]) -> None:
        self._screen, slave = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "workers.entry", *arguments],
            env={**remit.prepared(*arguments), "TERM": "xterm"},
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=_heed_interrupts,  # noqa: PLW1509  # it only sets a signal
        )
        os.close(slave)
        self._read = b""
        self._reader = threading.Thread(target=self._drain, daemon=True)
        self._reader.start()

    @property
    def text(self) -> str:
        """What was written."""
        return CONTROL.sub("", self._read.decode("utf-8", "replace"))

    def type(self, text: str) -> None:
        """Type a line."""
        os.write(self._screen, f"{text}\n".encode())

    def ended(self) -> int:
        """Wait for the end; the exit code."""
        code = self.process.wait(timeout=120)
        self._reader.join(timeout=10)
        return code

    def close(self) -> None:
        """End it, however it stands."""
        self.process.kill()
        self.process.wait()
        self._reader.join(timeout=10)
        os.close(self._screen)

    def _drain(self) -> None:
        with suppress(OSError):  # what Linux says when the other side was closed
            while more := os.read(self._screen, 65536):
                self._read += more


@pytest.fixture
def at_terminal(remit: Any) -> Generator[Callable[[Sequence[str]], Terminal]]:
    """Starts a command at a terminal of its own."""
    opened: list[Terminal] = []

    def start(arguments: Sequence[str]) -> Terminal:
        opened.append(Terminal(remit, arguments))
        return opened[-1]

    yield start
    for one in opened:
        one.close()


@pytest.fixture
def goal(write_table: Callable[[str, Sequence[Sequence[str]]], Path]) -> list[str]:
    """Two tables with a difference that a person has to decide."""
    return ["reconcile", str(write_table("left.csv", LEFT)), str(write_table("right.csv", RIGHT))]


def test_asking_on_the_spot(
    remit: Any, at_terminal: Callable[[Sequence[str]], Terminal], goal: list[str], until: Callable[..., None]
) -> None:
    """The plan is drawn while it is worked on; a wrong answer is asked again, the right one ends the run."""
    terminal = at_terminal(goal)
    until(lambda: "Answer (" in terminal.text)
    shown = terminal.text
    assert "playbook decides" in shown
    assert re.search(r"✓ match +Match the bookings", shown)
    assert re.search(r"\? decide\[1\].* waits for t\w+", shown)
    terminal.type("perhaps")
    until(lambda: "`perhaps` is none of the choices" in terminal.text)
    terminal.type("not_the_same")
    assert terminal.ended() == 0, terminal.text
    assert "Done" in terminal.text.split("not_the_same")[-1]
    (ticket,) = remit("tickets", "list", "--all", "--json").json
    assert (ticket["status"], ticket["answer"]) == ("answered", "not_the_same")


def test_not_asking_and_leaving_it_for_later(
    remit: Any, at_terminal: Callable[[Sequence[str]], Terminal], goal: list[str], until: Callable[..., None]
) -> None:
    """With --no-ask, or when the person says later, the command ends with 3 and the command that answers."""
    with remit.up():
        silent, later = at_terminal([*goal, "--no-ask"]), at_terminal(goal)
        until(lambda: "Answer (" in later.text)
        later.type("later")
        assert (silent.ended(), later.ended()) == (3, 3)
    assert "Answer (" not in silent.text
    opened = {one["id"] for one in remit("tickets", "list", "--json").json}
    for terminal in (silent, later):
        (named,) = re.findall(r"remit tickets answer (\w+) ", terminal.text)
        assert named in opened


def test_interrupting(
    remit: Any,
    at_terminal: Callable[[Sequence[str]], Terminal],
    goal: list[str],
    until: Callable[..., None],
    on_servers: bool,
) -> None:
    """Ctrl-C ends the command with a word on how the run goes on; nothing is lost, nothing is left running."""
    terminal = at_terminal(goal)
    until(lambda: re.search(r"\bplan\b", terminal.text) is not None)
    terminal.process.send_signal(signal.SIGINT)
    assert terminal.ended() == 130
    assert "Traceback" not in terminal.text
    until(lambda: remit.processes() == [])
    (run,) = remit("runs", "list", "--json").json
    assert run["status"] in ({"running", "waiting"} if on_servers else {"running"})
    assert f"remit runs show {run['run']}" in terminal.text
