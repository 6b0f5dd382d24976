"""The tools and the playbooks of the looking team; what tools do is noted in a file, with the process that does it."""

import os
import threading
from pathlib import Path

from agents.models.playbook import Action, View, answer, use
from agents.tools.function import ToolResult, tool


def note(log: str, what: str) -> None:
    """Add a line to the file; one write, so that lines of several processes never mix."""
    with Path(log).open("ab", buffering=0) as file:
        file.write(f"{what} {os.getpid()}\n".encode())


@tool("looking.look", effect="read", use_when="something is to be seen", not_when="it was seen", seconds=600)
def look(nth: int, log: str, gate: str = "") -> ToolResult:
    """Look; with a gate, until that file exists."""
    note(log, f"look-{nth}")
    while gate and not Path(gate).exists():
        threading.Event().wait(0.01)
    note(log, f"seen-{nth}")
    return ToolResult(f"Seen {nth} times.", {"seen": nth})


@tool("looking.act", effect="unsafe", use_when="something is to be done", not_when="it was done")
def act(log: str) -> ToolResult:
    """Do something to the world."""
    note(log, "act")
    return ToolResult("It is done.", {"acted": True})


def plan(view: View) -> Action:
    """One subtask."""
    del view
    one = {"key": "look", "agent": "looker", "title": "Look", "instruction": "Look twice, then act."}
    return answer({"subtasks": [one]})


def work(view: View) -> Action:
    """Everything in one reply; then say that it is done."""
    wanted = view.briefing["goal"]["parameters"]
    log = wanted["log"]
    if not view.observations:
        return [
            use("looking.look", "First.", nth=1, log=log, gate=wanted["gate"]),
            use("looking.look", "Again.", nth=2, log=log),
            use("looking.act", "Now.", log=log),
        ]
    last = view.observations[-1]
    return answer({"summary": f"{last.summary} [{last.ref}]", "evidence": [last.ref]})


def compose(view: View) -> Action:
    """Say what was done."""
    return answer({"answer": "\n".join(one["text"] for one in view.briefing["predecessors"])})


def review(view: View) -> Action:
    """The code's own check is enough."""
    del view
    return answer({"verdict": "pass", "note": "good"})
