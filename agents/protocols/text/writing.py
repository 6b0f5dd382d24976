"""Writes an action as the text protocol has it, so that it is read back as the same call."""

from collections.abc import Mapping
from typing import Any

from agents.protocols.json_text import dumps

OBSERVATION = "Observation: "
STOP = ("\nObservation:", "\n观察：")
"""Where a reply ends: what comes next is ours to write."""


def written_action(tool: str, arguments: Mapping[str, Any] | str, thought: str = "") -> str:
    """A thought (on one line, so that no word in it can be a label) and an action; broken arguments stay a text."""
    given = arguments if isinstance(arguments, str) else dumps(arguments, f"the arguments of {tool}")
    said = f"Thought: {' '.join(thought.split())}\n" if thought.strip() else ""
    return f"{said}Action: {tool}\nAction Input: {given}"
