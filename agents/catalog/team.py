"""A team and its agents, as they are pinned to a run."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from agents.models.base import ProtocolName
from agents.tools.mcp.declared import McpServer
from orchestrator.domain.budget import TeamBudget
from orchestrator.domain.caps import Cap, TeamCaps
from orchestrator.domain.goal import Name
from orchestrator.domain.record import Record
from orchestrator.domain.run import OnCancel, TeamRules

AgentKind = Literal["planner", "specialist", "composer", "reviewer"]
MOST_TOOLS = 5
Priority = Annotated[int, Field(ge=-1000, le=1000)]
"""Of what is ready, higher ones go first; below nought: batch work, behind all that somebody waits for."""
MOST_FALLBACKS = 5


class AgentSpec(Record):
    """One agent: what it is told, what it may use and how long it may take."""

    name: Name
    kind: AgentKind
    about: str = ""
    """One sentence for planners: what this agent is good at."""
    role: str = ""
    """The prompt of its kind, as it was when the team was loaded; empty: the one that ships."""
    instructions: str = ""
    """What the team tells this agent."""
    tools: tuple[str, ...] = ()
    """Built-in names, `module:attribute`, or `mcp:server/tool`."""
    model: str | None = None
    fallbacks: tuple[str, ...] = ()
    """Models that are asked, in this order, when the one before did not answer or refused; `playbook` is one too."""
    timeout: float = 30.0
    """Seconds that one try at a call of the model may take."""
    protocol: ProtocolName = "auto"
    """How the model is told of the tools."""
    playbook: str | None = None
    steps: Annotated[int, Field(ge=1, le=200)] = 10
    seconds: Annotated[float, Field(gt=0)] = 300.0
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.2
    max_output: Annotated[int, Field(ge=64)] = 2048
    context: Annotated[int, Field(ge=1000)] = 100_000
    """Tokens that may be sent at once; older results are shortened before they are exceeded."""
    max_parallel: Cap | None = None
    """How many of its subtasks may be at work at the same time, over all runs of the team."""
    output: dict[str, Any] | None = None
    """The JSON Schema that the `data` of each of its findings has to fit, where a plan does not say otherwise."""
    must_look: bool = False
    """An answer without any call is sent back once: this agent is there to find out."""


class TeamCommand(Record):
    """The team as a command of its own: the inputs it takes and the goal they make."""

    inputs: Annotated[tuple[Name, ...], Field(min_length=1)]
    goal: Annotated[str, Field(min_length=1)]
    """A text with `{input}` for the file name of each input."""
    check: str | None = None
    """`module:function` that looks at files (name → path) and parameters before a run is opened; raises InputError."""


class Team(Record):
    """Who works on a kind of goal, and by which rules."""

    name: Name
    title: str
    description: str
    planner: AgentSpec
    specialists: tuple[AgentSpec, ...]
    composer: AgentSpec
    reviewer: AgentSpec
    mcp: tuple[McpServer, ...] = ()
    """Servers whose tools agents use; in a pinned team with what they offered."""
    command: TeamCommand | None = None
    draft: str | None = None
    fields: tuple[str, ...] = ()
    """The fields of the structured result that stand in `result.json`; none named: all of them."""
    withhold: tuple[str, ...] = ("secrets", "cards")
    priority: Priority = 0
    max_parallel: Cap | None = None
    """How many subtasks of the team may be at work at the same time, over all its runs."""
    tool_caps: Mapping[str, Cap] = Field(default_factory=dict)
    """How many subtasks whose agent has the tool may be at work at the same time."""
    budget: TeamBudget = TeamBudget()
    on_cancel: OnCancel = "keep"
    """`compensate`: what a cancelled run did is undone, where its tools know how."""
    source: str = ""
    """The file it was read from, for messages."""

    def agents(self) -> tuple[AgentSpec, ...]:
        """All agents: planner, specialists, composer, reviewer."""
        return (self.planner, *self.specialists, self.composer, self.reviewer)

    def agent(self, name: str) -> AgentSpec | None:
        """The agent of this name."""
        return next((agent for agent in self.agents() if agent.name == name), None)

    def server(self, name: str) -> McpServer | None:
        """The MCP server of this name."""
        return next((server for server in self.mcp if server.name == name), None)

    def rules(self) -> TeamRules:
        """What the engine has to know of the team."""
        return TeamRules(
            team=self.name,
            specialists=tuple(agent.name for agent in self.specialists),
            withhold=self.withhold,
            priority=self.priority,
            fields=self.fields,
            budget=self.budget,
            on_cancel=self.on_cancel,
            caps=self.caps(),
        )

    def caps(self) -> TeamCaps:
        """What may be at work at the same time."""
        users = {agent.name: tuple(tool for tool in agent.tools if tool in self.tool_caps) for agent in self.agents()}
        return TeamCaps(
            team=self.max_parallel,
            agents={agent.name: agent.max_parallel for agent in self.agents() if agent.max_parallel is not None},
            tools=self.tool_caps,
            users={name: tools for name, tools in users.items() if tools},
        )
