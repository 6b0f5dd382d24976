"""How an agent names a tool of a server: `mcp:weather/get_forecast`."""

from dataclasses import dataclass

from orchestrator.errors import TeamError

PREFIX = "mcp:"


@dataclass(frozen=True, slots=True)
class Reference:
    """A server of the team and one of its tools."""

    server: str
    tool: str


def is_mcp(reference: str) -> bool:
    """True for a name of this kind; it may still be written wrongly."""
    return reference.startswith(PREFIX)


def read_reference(text: str) -> Reference:
    """The parts of `mcp:SERVER/TOOL`. Raises TeamError."""
    server, slash, tool = text.removeprefix(PREFIX).partition("/")
    if not server or not slash or not tool:
        mend = "Write it as `mcp:SERVER/TOOL`, such as `mcp:weather/get_forecast`."
        raise TeamError("this names no tool of a server", where=f"`{text}`", mend=mend)
    return Reference(server, tool)


def tool_name(server: str, tool: str) -> str:
    """What agents, observations and traces call the tool."""
    return f"{server}.{tool}"
