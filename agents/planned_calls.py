"""Calls that a plan fixes: which tool is meant, and whether the call can be made as it stands."""

from collections.abc import Mapping

from agents.arguments import checked
from agents.errors import ToolError
from agents.models.fixed_call import awaits_item
from agents.tools.function import Tool
from orchestrator.domain.plan import PlannedSubtask
from orchestrator.domain.step import StepCall


def tool_called(tools: Mapping[str, Tool], name: str) -> Tool | None:
    """The agent's tool that is listed (`tools`: as the team's file lists it → the tool) or called by this name."""
    return tools.get(name) or next((tool for tool in tools.values() if tool.name == name), None)


def call_fault(planned: PlannedSubtask, tools: Mapping[str, Tool]) -> str | None:
    """Why the call of a planned subtask cannot be made with the tools of its agent; None: it can, or there is none."""
    if planned.call is None:
        return None
    call, subtask = planned.call, f"Subtask `{planned.key}`"
    tool = tool_called(tools, call.tool)
    if tool is None:
        have = ", ".join(f"`{name}`" for name in tools) or "none"
        return f"{subtask} calls `{call.tool}`; its agent `{planned.agent}` has {have}."
    if tool.effect == "unsafe" and tool.preview is not None:
        return f"{subtask} calls `{call.tool}`, which shows first what it would do: leave the call to the agent."
    if awaits_item(call.arguments):
        return None if planned.over else f"{subtask} has `$item` in its call, but is not mapped over anything."
    try:
        checked(tool, StepCall(id="planned", tool=tool.name, arguments=call.arguments))
    except ToolError as error:
        return f"{subtask}: {error}"
    return None
