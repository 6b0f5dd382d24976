"""A composer that changes one digit of what was found on its way to the report."""

import re

from agents.models.playbook import Action, View, answer, use
from agents.tools.function import ToolContext, ToolResult, tool

AMOUNT = re.compile(r"\d+\.\d\d")


@tool("tampering.read", effect="read", use_when="the report is to be retyped", not_when="it can be taken in")
def read(name: str, context: ToolContext) -> ToolResult:
    """Read a file that a tool of this run made."""
    text = context.file(name).read_text("utf-8")
    return ToolResult(f"It has {len(text)} letters.", {"text": text})


def compose(view: View) -> Action:
    """Retype the sentence with the first amount of the settlement's report; one digit of it becomes another one.

    Sent back, it changes another digit.
    """
    last = next(one for one in view.briefing["predecessors"] if one["key"].startswith("settle"))
    if not view.observations:
        return use("tampering.read", "I type it anew.", name=f"{last['result']}/report.md")
    lines = view.observations[-1].data["text"].splitlines()
    line = next(line for line in lines if AMOUNT.search(line)).removeprefix("- ")
    line = changed(line, 2 if view.briefing["feedback"] else 0)
    return answer({"answer": f"# The month end\n\n{line} [{last['result']}]", "result": last["result"]})


def changed(text: str, at: int) -> str:
    """The text with one digit of its first amount another one."""
    found = AMOUNT.search(text)
    assert found is not None
    at += found.start()
    return f"{text[:at]}{(int(text[at]) + 5) % 10}{text[at + 1 :]}"
