"""The tools and the playbooks of the toil team; what tools do is noted in a file, a line each."""

import os
import signal
import threading
from pathlib import Path
from typing import Any

from agents.models.playbook import Action, View, answer, use
from agents.tools.function import ToolResult, tool


def note(log: str, line: str) -> None:
    """Add a line to the file; one write, so that lines of several threads and processes never mix."""
    with Path(log).open("ab", buffering=0) as file:
        file.write(f"{line}\n".encode())


@tool("toil.measure", effect="read", use_when="a thing is to be measured", not_when="it was measured")
def measure(thing: int, turn: int, log: str, seconds: float, gate: str = "") -> ToolResult:
    """Measure a thing, slowly; with a gate, not before that file exists."""
    note(log, f"begin {thing}.{turn}")
    threading.Event().wait(seconds)
    while gate and not Path(gate).exists():
        threading.Event().wait(0.01)
    note(log, f"end {thing}.{turn}")
    return ToolResult(f"Turned {turn} times, it is {thing * thing} long.", {"thing": thing, "size": thing * thing})


@tool("toil.add", effect="read", use_when="sizes are to be added up", not_when="there are none")
def add(sizes: list[int], words: list[str]) -> ToolResult:
    """Add up sizes."""
    return ToolResult(f"The sum is {sum(sizes)}.", {"total": sum(sizes), "sizes": sizes, "words": words})


@tool("toil.kill", effect="read", use_when="a worker has to die", not_when="it has to live")
def kill(log: str) -> ToolResult:
    """Kill the worker."""
    note(log, "kill")
    os.kill(os.getpid(), signal.SIGKILL)
    return ToolResult("Nobody ever reads this.")


@tool("toil.hold", effect="read", use_when="waiting", not_when="in a hurry", seconds=600, isolated=True)
def hold(log: str) -> ToolResult:
    """Wait in a process of its own, longer than anybody has."""
    note(log, f"hold {os.getpid()}")
    threading.Event().wait()
    return ToolResult("Nobody ever reads this.")


def plan(view: View) -> Action:
    """The things are measured side by side and added up; on demand a person is asked, or the worker is killed."""
    wanted = view.briefing["goal"]["parameters"]
    if view.briefing["predecessors"]:
        return answer({"answer": "There is no other way."})
    planned = [
        _planned("list", "lister"),
        _planned("work", "measurer", after="list", over={"subtask": "list", "list": "things"}),
    ]
    planned += [_planned("ask", "asker")] if "ask" in wanted else []
    planned += [_planned("kill", "killer")] if "kill" in wanted else []
    planned += [_planned("hold", "holder")] if "hold" in wanted else []
    after = [{"subtask": one["key"], "needs": "any"} for one in planned if one["key"] != "list"]
    planned.append({**_planned("sum", "adder"), "after": after})
    return answer({"subtasks": planned})


def _planned(key: str, agent: str, after: str | None = None, over: dict[str, str] | None = None) -> dict[str, Any]:
    planned: dict[str, Any] = {"key": key, "agent": agent, "title": f"The {key}", "instruction": f"Do the {key}."}
    if after:
        planned["after"] = [{"subtask": after}]
    if over:
        planned["over"] = over
    return planned


def list_items(view: View) -> Action:
    """As many things as the goal says."""
    count = int(view.briefing["goal"]["parameters"].get("things", "1"))
    return answer({"summary": "The things are known.", "data": {"things": list(range(1, count + 1))}})


def work(view: View) -> Action:
    """Measure the thing twice, then say how long it is."""
    wanted, thing = view.briefing["goal"]["parameters"], view.briefing["item"]
    done = len(view.observations)
    if done < 2:
        given = {"log": wanted["log"], "seconds": float(wanted.get("seconds", "0")), "gate": wanted.get("gate", "")}
        return use("toil.measure", "Twice is better.", thing=thing, turn=done + 1, **given)
    last = view.observations[-1]
    said = f"It is {last.data['size']} long [{last.ref}]."
    return answer({"summary": said, "data": {"size": last.data["size"]}, "evidence": [last.ref]})


def ask(view: View) -> Action:
    """Ask for a word, once."""
    if not view.observations:
        return use("escalate", "Only a person knows the word.", question="Which word?", answer_type="text")
    got = view.observations[-1]
    return answer({"summary": "The word is known.", "data": {"word": got.data["answer"]}, "evidence": [got.ref]})


def end_it(view: View) -> Action:
    """Kill the worker, whatever happened before."""
    return use("toil.kill", "It has to be.", log=view.briefing["goal"]["parameters"]["log"])


def wait(view: View) -> Action:
    """Wait for ever."""
    return use("toil.hold", "It has to be.", log=view.briefing["goal"]["parameters"]["log"])


def add_up(view: View) -> Action:
    """Add up all sizes that were found."""
    if view.observations:
        got = view.observations[-1]
        return answer({"summary": f"{got.summary} [{got.ref}]", "evidence": [got.ref], "result": got.ref})
    before = {one["key"]: one for one in view.briefing["predecessors"]}
    sizes = [one["data"]["size"] for one in before["work"]["data"]["items"]]
    words = [before["ask"]["data"]["word"]] if "ask" in before else []
    return use("toil.add", "Together.", sizes=sizes, words=words)


def compose(view: View) -> Action:
    """Say the sum, and what went wrong."""
    before = view.briefing["predecessors"]
    last = next(one for one in before if one["key"] == "sum")
    wrong = [one["text"] for one in before if one["status"] == "failed"]
    return answer({"answer": "\n\n".join([last["text"], *wrong]), "result": last["result"]})


def review(view: View) -> Action:
    """The code's own check is enough."""
    del view
    return answer({"verdict": "pass", "note": "good"})
