"""The tools and the playbooks of the keeping team; its one payment takes the worker with it."""

import os
import signal

from agents.models.playbook import Action, View, answer, use
from agents.tools.function import ToolResult, tool


@tool("keeping.look", effect="read", use_when="a thing is to be looked at", not_when="it was looked at")
def look(thing: int) -> ToolResult:
    """Look at a thing."""
    return ToolResult(f"It is {thing * thing} long.", {"thing": thing, "size": thing * thing})


@tool("keeping.pay", effect="unsafe", use_when="something is to be paid", not_when="it was paid", seconds=1)
def pay(amount: str) -> ToolResult:
    """Pay, and never come back."""
    os.kill(os.getpid(), signal.SIGKILL)
    return ToolResult(f"Nobody ever reads that {amount} was paid.")


def plan(view: View) -> Action:
    """Things are looked at side by side; a person is asked; something is paid."""
    del view
    return answer({"subtasks": [_planned("look", "looker"), _planned("ask", "asker"), _planned("pay", "payer")]})


def _planned(key: str, agent: str) -> dict[str, str]:
    return {"key": key, "agent": agent, "title": f"The {key}", "instruction": f"Do the {key}."}


def work(view: View) -> Action:
    """Look twice, then say how long it is."""
    if len(view.observations) < 2:
        return use("keeping.look", "Twice is better.", thing=len(view.observations) + 2)
    last = view.observations[-1]
    said = f"It is {last.data['size']} long [{last.ref}]."
    return answer({"summary": said, "data": {"size": last.data["size"]}, "evidence": [last.ref]})


def ask(view: View) -> Action:
    """Ask for a word, once."""
    if not view.observations:
        return use("escalate", "Only a person knows the word.", question="Which word?", answer_type="text")
    got = view.observations[-1]
    said = f"The word is {got.data['answer']} [{got.ref}]."
    return answer({"summary": said, "data": {"word": got.data["answer"]}, "evidence": [got.ref]})


def spend(view: View) -> Action:
    """Pay once, then say what became of it."""
    if not view.observations:
        return use("keeping.pay", "It is due.", amount="12.50")
    got = view.observations[-1]
    return answer({"summary": f"{got.summary} [{got.ref}]", "evidence": [got.ref]})


def compose(view: View) -> Action:
    """Say all that was found."""
    return answer({"answer": "\n\n".join(one["text"] for one in view.briefing["predecessors"])})


def review(view: View) -> Action:
    """The code's own check is enough."""
    del view
    return answer({"verdict": "pass", "note": "good"})
