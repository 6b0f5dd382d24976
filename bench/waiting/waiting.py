"""The tool and the playbooks of the waiting team."""

import os
import threading
from pathlib import Path

from agents.models.playbook import Action, View, answer, use
from agents.tools.function import ToolResult, tool


@tool("waiting.wait", effect="read", use_when="it is time to wait", not_when="there is no time", seconds=600)
def wait(log: str) -> ToolResult:
    """Note which process waits, and wait until the file is gone."""
    with Path(log).open("a") as file:
        file.write(f"{os.getpid()}\n")
    while Path(log).exists():
        threading.Event().wait(0.01)
    return ToolResult("Waited.")


def plan(view: View) -> Action:
    """One subtask."""
    del view
    return answer({"subtasks": [{"key": "wait", "agent": "waiter", "title": "Wait", "instruction": "Wait."}]})


def work(view: View) -> Action:
    """Wait, then say so."""
    if view.observations:
        return answer({"summary": "Waited."})
    return use("waiting.wait", "It has to be.", log=view.briefing["goal"]["parameters"]["log"])


def compose(view: View) -> Action:
    """Say so."""
    del view
    return answer({"answer": "Waited."})


def review(view: View) -> Action:
    """The code's own check is enough."""
    del view
    return answer({"verdict": "pass", "note": "good"})
