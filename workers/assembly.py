"""Assembly: from a claim and the team pinned with its run to the agent that works on it."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Protocol

from agents import roles
from agents.briefing import Briefing, Predecessor, opening
from agents.capped_toolbox import CappedToolbox
from agents.catalog import AgentSpec, Team, outdated_tools, tool_of, unpin
from agents.isolation import Isolation
from agents.models.base import Model
from agents.models.fixed_call import fixed_call
from agents.planned_calls import call_fault, tool_called
from agents.react import Agent
from agents.tools.function import Tool
from agents.tools.mcp.servers import McpServers
from orchestrator.domain.finding import Finding
from orchestrator.domain.graph import Graph
from orchestrator.domain.plan import PlannedSubtask
from orchestrator.domain.subtask import Subtask
from orchestrator.engine.services.checking import Checker
from orchestrator.engine.services.claims import Claim
from orchestrator.errors import TeamError
from orchestrator.ports.blobs import Blobs
from orchestrator.ports.clock import Clock, SystemClock
from orchestrator.ports.store import Store
from workers.evidence import RunEvidence
from workers.siblings import has_long_list, without_siblings
from workers.undoing import undoer


class ModelSource(Protocol):
    """Gives the model of an agent."""

    def model_of(self, agent: AgentSpec) -> Model:
        """The model or the playbook that the agent was pinned with. Raises ConfigError."""
        ...


class Assembly:
    """Puts agents together; pinned teams and tools are read once per process."""

    def __init__(
        self,
        store: Store,
        blobs: Blobs,
        checker: Checker,
        models: ModelSource,
        isolation: Isolation,
        *,
        settings: Mapping[str, str] = MappingProxyType({}),
        servers: McpServers | None = None,
        clock: Clock | None = None,
    ) -> None:
        """`servers`: the MCP servers of this process; whoever gives them closes them."""
        self._store = store
        self._blobs = blobs
        self._checker = checker
        self._models = models
        self._isolation = isolation
        self._settings = settings
        self._servers = servers or McpServers({})
        self._clock = clock or SystemClock()
        self.team = lru_cache(maxsize=256)(self._team)
        self._tool = lru_cache(maxsize=1024)(self._find_tool)
        self._outdated = lru_cache(maxsize=1024)(self._find_outdated)

    def _team(self, blob: str) -> Team:
        return unpin(self._blobs.get(blob).decode())

    def _find_tool(self, blob: str, reference: str) -> Tool:
        return tool_of(self.team(blob), reference, self._servers)

    def agent(self, claim: Claim) -> Agent:
        """The agent of the claimed subtask, its opening messages included. Raises MustWaitError."""
        team = self.team(claim.run.team_blob)
        evidence = RunEvidence(claim.run, self._store, self._blobs, self._checker, self._settings)
        if claim.subtask.spec.kind == "undo":
            found = self._all_tools(claim, team)
            return undoer(claim, self._store, evidence, self._isolation, tools=found, now=self._clock.now())
        spec = _spec(team, claim.subtask)
        tools = self._tools(claim, spec)
        return Agent(
            model=self._model(claim, spec, tools),
            toolbox=CappedToolbox(list(tools.values()), evidence, self._isolation, _capped(team, tools)),
            judge=self._judge(claim, team, spec, evidence),
            opening=opening(self._briefing(claim, team, spec)),
            number=claim.subtask.number,
            most_steps=spec.steps,
            seconds=spec.seconds,
            worked=claim.subtask.worked_seconds,
            context=spec.context,
            most_output=spec.max_output,
        )

    def outdated(self, claim: Claim) -> tuple[str, ...]:
        """A line for each tool of the claimed subtask's agent that is not what was pinned with the run any more."""
        if claim.subtask.spec.kind in {"undo", "group"}:
            return ()
        blob = claim.run.team_blob
        return self._outdated(blob, _spec(self.team(blob), claim.subtask).tools)

    def _find_outdated(self, blob: str, references: tuple[str, ...]) -> tuple[str, ...]:
        return outdated_tools(self._blobs.get(blob).decode(), references)

    def _tools(self, claim: Claim, spec: AgentSpec) -> dict[str, Tool]:
        return {reference: self._tool(claim.run.team_blob, reference) for reference in spec.tools}

    def _all_tools(self, claim: Claim, team: Team) -> dict[str, Tool]:
        """The tools of all agents, by name, as far as they are still what was pinned."""
        found: dict[str, Tool] = {}
        for reference in {reference for agent in team.agents() for reference in agent.tools}:
            with suppress(TeamError):
                tool = self._tool(claim.run.team_blob, reference)
                found[tool.name] = tool
        return found

    def _model(self, claim: Claim, spec: AgentSpec, tools: Mapping[str, Tool]) -> Model:
        """The agent's own, or none where the plan fixed the call; what was sent back needs the agent's thought."""
        task = claim.subtask.spec
        tool = tool_called(tools, task.call.tool) if task.call and not task.feedback else None
        if task.call and tool:
            return fixed_call(task.call, tool.name)
        return self._models.model_of(spec)

    def _judge(self, claim: Claim, team: Team, spec: AgentSpec, evidence: RunEvidence) -> roles.Judge:
        known = roles.Known(
            evidence.refs, evidence.artifacts, lambda: evidence.contents(self._seen(claim)), self._told(claim)
        )
        match claim.subtask.spec.kind:
            case "planner":
                return roles.planner(self._planning(claim, team))
            case "composer":
                return roles.composer(known)
            case "reviewer":
                return roles.reviewer()
            case _:
                output = claim.subtask.spec.output or spec.output
                return roles.specialist(
                    known, must_look=lambda: spec.must_look and not self._called(claim), output=output
                )

    def _seen(self, claim: Claim) -> list[str]:
        """The observations of this subtask, and those that the findings before it rest on."""
        before = [ref for one in claim.before if one.finding for ref in one.finding.evidence]
        own = [r.ref for step in self._store.steps(claim.subtask.id) for r in step.results if r.ref]
        return list(dict.fromkeys((*own, *before)))

    def _called(self, claim: Claim) -> bool:
        return any(step.calls for step in self._store.steps(claim.subtask.id))

    def _told(self, claim: Claim) -> str:
        """What the agent was told of its task, as one text."""
        task = claim.subtask.spec
        texts = [one.finding.text for one in claim.before if one.finding]
        item = json.dumps(task.item, ensure_ascii=False, default=str)
        return "\n".join((claim.run.goal.text, task.title, task.instruction, item, *task.feedback, *texts))

    def _planning(self, claim: Claim, team: Team) -> roles.Planning:
        earlier: Mapping[str, bool] = {}
        if claim.subtask.spec.around:
            earlier = Graph(self._store.subtasks(claim.run.id), self._store.edges(claim.run.id)).started()
        specialists = {one.name: one for one in team.specialists}

        def fault(planned: PlannedSubtask) -> str | None:
            return call_fault(planned, self._tools(claim, specialists[planned.agent]))

        return roles.Planning(frozenset(specialists), claim.run.goal.input_names(), earlier, fault)

    def _briefing(self, claim: Claim, team: Team, spec: AgentSpec) -> Briefing:
        task = claim.subtask.spec
        return Briefing(
            kind=spec.kind,
            agent=spec,
            goal=claim.run.goal,
            title=task.title,
            instruction=task.instruction,
            inputs=task.inputs,
            item=task.item,
            output=(task.output or spec.output) if spec.kind == "specialist" else None,
            feedback=task.feedback,
            predecessors=self._predecessors(claim),
            specialists=team.specialists if spec.kind == "planner" else (),
            facts=self._facts(claim),
        )

    def _predecessors(self, claim: Claim) -> tuple[Predecessor, ...]:
        if not claim.subtask.spec.around:
            told = tuple(_predecessor(one.subtask, one.finding) for one in claim.before)
            return without_siblings(told, self._mapped_over(claim.subtask, told))
        rows = [one for one in self._store.subtasks(claim.run.id) if one.spec.kind in {"specialist", "group"}]
        findings = self._store.findings([one.id for one in rows])
        return tuple(_predecessor(one, findings.get(one.id)) for one in rows if one.parent_id is None)

    def _mapped_over(self, subtask: Subtask, told: Sequence[Predecessor]) -> str | None:
        """Which list a child's item is from; only asked for when there is a long one."""
        if subtask.parent_id is None or not has_long_list(told):
            return None
        group = self._store.subtask(subtask.parent_id)
        return group.spec.over.list if group and group.spec.over else None

    def _facts(self, claim: Claim) -> tuple[str, ...]:
        """What the code found about the answer, for the reviewer."""
        if claim.subtask.spec.kind != "reviewer" or not claim.before:
            return ()
        check = self._checker.check(claim.run, claim.before[0].finding)
        return check.faults or ("Every figure, quote and sum of the answer was found in what it cites.",)


def _capped(team: Team, tools: Mapping[str, Tool]) -> frozenset[str]:
    return frozenset(tool.name for reference, tool in tools.items() if reference in team.tool_caps)


def _spec(team: Team, subtask: Subtask) -> AgentSpec:
    match subtask.spec.kind:
        case "planner":
            return team.planner
        case "composer":
            return team.composer
        case "reviewer":
            return team.reviewer
        case _:
            return next(one for one in team.specialists if one.name == subtask.spec.agent)


def _predecessor(subtask: Subtask, finding: Finding | None) -> Predecessor:
    data: Mapping[str, Any] = finding.data if finding else {}
    return Predecessor(
        key=subtask.key,
        title=subtask.spec.title,
        status=str(subtask.status),
        text=finding.text if finding else "",
        data=data,
        evidence=finding.evidence if finding else (),
        result=finding.result if finding else None,
        artifacts=finding.artifacts if finding else (),
    )
