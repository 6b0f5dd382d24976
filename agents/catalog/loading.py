"""Finds a team by its name or path and makes it whole: instructions read from their files, defaults filled in."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Formatter

from agents.catalog.team import MOST_TOOLS, AgentKind, AgentSpec, Team, TeamCommand
from agents.catalog.toml_file import AgentSection, TeamFile, read_team_file
from agents.models.playbook import NAME as PLAYBOOK
from agents.output_schema import schema_fault
from agents.prompts import role_prompt
from agents.references import nearest
from agents.tools.mcp.declared import McpServer
from agents.tools.mcp.references import is_mcp, read_reference
from orchestrator.domain.budget import TeamBudget
from orchestrator.domain.withholding import SETS
from orchestrator.errors import TeamError

SHIPPED = Path(__file__).parent.parent / "teams"
FILE = "team.toml"
_RESERVED = ("planner", "composer", "reviewer")


@dataclass(frozen=True, slots=True)
class TeamSummary:
    """A team as a list of teams shows it."""

    name: str
    title: str
    description: str
    inputs: tuple[str, ...]
    """Inputs of the team's own command; empty: it has none."""


def load_team(name_or_path: str) -> Team:
    """The shipped team of this name, or the team in this file or folder. Raises TeamError in one line.

    Nothing is imported; `check` tries the tools and playbooks.
    """
    path = _team_path(name_or_path)
    return _team(read_team_file(path), path)


def shipped_teams() -> list[TeamSummary]:
    """The teams that ship with Remit, by name."""
    teams = [load_team(str(path)) for path in sorted(SHIPPED.glob(f"*/{FILE}"))]
    return [
        TeamSummary(team.name, team.title, team.description, team.command.inputs if team.command else ())
        for team in teams
    ]


def _team_path(name_or_path: str) -> Path:
    shipped = {path.parent.name: path for path in SHIPPED.glob(f"*/{FILE}")}
    if name_or_path in shipped:
        return shipped[name_or_path]
    path = Path(name_or_path)
    if path.is_dir():
        path /= FILE
    if path.is_file():
        return path
    if path.suffix == ".toml" or len(path.parts) > 1:
        raise TeamError("there is no such team file", where=name_or_path, mend="Give the path of a team.toml.")
    mend = nearest(name_or_path, list(shipped)).replace("It has:", "Teams that ship:")
    raise TeamError("there is no such team", where=f"`{name_or_path}`", mend=f"{mend} Or give the path of a team.toml.")


def _team(file: TeamFile, path: Path) -> Team:
    _check_names(file, path)
    _check_all_tools(file, path)
    _check_sets(file, path)
    _check_capped(file, path)
    specialists = tuple(
        _agent(name, "specialist", section, path, f"agents.{name}") for name, section in file.agents.items()
    )
    if file.command:
        _check_goal(file.command, path)
    return Team(
        name=file.name,
        title=file.title or file.name,
        description=file.description,
        planner=_agent("planner", "planner", file.planner, path, "planner"),
        specialists=specialists,
        composer=_agent("composer", "composer", file.composer, path, "composer"),
        reviewer=_agent("reviewer", "reviewer", file.reviewer, path, "reviewer"),
        mcp=tuple(
            McpServer(name=name, folder=str(path.parent.absolute()), **dict(section))
            for name, section in file.mcp.items()
        ),
        command=file.command,
        draft=file.result.draft,
        fields=file.result.fields,
        withhold=file.withhold.sets,
        priority=file.priority,
        on_cancel=file.on_cancel,
        max_parallel=file.max_parallel,
        tool_caps={name: section.max_parallel for name, section in file.tools.items()},
        budget=TeamBudget(**dict(file.budget)),
        source=str(path),
    )


def _agent(name: str, kind: AgentKind, section: AgentSection, path: Path, key: str) -> AgentSpec:
    return AgentSpec(
        name=name,
        kind=kind,
        about=section.about,
        role=role_prompt(kind),
        instructions=_instructions(kind, section, path, key),
        **section.model_dump(exclude={"about", "instructions", "instructions_text"}),
    )


def _instructions(kind: AgentKind, section: AgentSection, path: Path, key: str) -> str:
    if section.instructions is not None and section.instructions_text is not None:
        what = "`instructions` and `instructions_text` are both given"
        raise TeamError(what, where=f"{path}: {key}", mend="Keep one of them.")
    if section.instructions is not None:
        text, where = _file_text(path.parent / section.instructions, f"{path}: {key}.instructions"), "instructions"
    elif section.instructions_text is not None or kind == "specialist":
        text, where = section.instructions_text or "", "instructions_text"
    else:
        return ""
    if not text.strip():
        mend = 'Say what the agent has to do, in a file (`instructions = "reader.md"`) or in `instructions_text`.'
        raise TeamError("the instructions are empty", where=f"{path}: {key}.{where}", mend=mend)
    return text.strip()


def _file_text(file: Path, where: str) -> str:
    try:
        return file.read_text("utf-8")
    except OSError as error:
        what = f"`{file.name}` cannot be read: {error.strerror}"
        raise TeamError(what, where=where, mend=f"It has to stand in {file.parent}.") from None
    except UnicodeDecodeError:
        raise TeamError(f"`{file.name}` is no UTF-8 text", where=where, mend="Save it as UTF-8.") from None


def _check_names(file: TeamFile, path: Path) -> None:
    folded: dict[str, str] = {}
    for name in file.agents:
        if name in _RESERVED:
            mend = f"Describe it as `[{name}]`, or choose another name."
            raise TeamError(f"`{name}` is the name of a role", where=f"{path}: agents.{name}", mend=mend)
        if other := folded.get(name.casefold()):
            what = f"`{name}` and `{other}` differ only in capitals"
            raise TeamError(what, where=f"{path}: agents.{name}", mend="Give one of them another name.")
        folded[name.casefold()] = name


def _check_all_tools(file: TeamFile, path: Path) -> None:
    roles = {"planner": file.planner, "composer": file.composer, "reviewer": file.reviewer}
    for name, section in roles.items():
        _check_fallbacks(section, f"{path}: {name}.fallbacks")
        _check_no_output(section, f"{path}: {name}.output")
        _check_tools(file.name, name, section, f"{path}: {name}.tools")
        _check_servers(file, section, f"{path}: {name}.tools")
    for name, section in file.agents.items():
        _check_fallbacks(section, f"{path}: agents.{name}.fallbacks")
        _check_output(section, f"{path}: agents.{name}.output")
        _check_tools(file.name, name, section, f"{path}: agents.{name}.tools")
        _check_servers(file, section, f"{path}: agents.{name}.tools")


def _check_fallbacks(section: AgentSection, where: str) -> None:
    if PLAYBOOK in section.fallbacks and not section.playbook:
        raise TeamError("the agent has no playbook", where=where, mend='Name one, as `playbook = "module:function"`.')


def _check_output(section: AgentSection, where: str) -> None:
    if section.output is not None and (fault := schema_fault(section.output)):
        raise TeamError(fault, where=where, mend="Write the JSON Schema of the `data` that its findings hold.")


def _check_no_output(section: AgentSection, where: str) -> None:
    if section.output is not None:
        what = "only a specialist's findings can be given a form"
        raise TeamError(what, where=where, mend="Leave it out: the answers of the three roles have their own.")


def _check_tools(team: str, name: str, section: AgentSection, where: str) -> None:
    twice = sorted({tool for tool in section.tools if section.tools.count(tool) > 1})
    if twice:
        raise TeamError(f"`{twice[0]}` is listed twice", where=where, mend="List it once.")
    if len(section.tools) > MOST_TOOLS:
        listed = ", ".join(section.tools)
        what = f"agent `{name}` of team `{team}` has {len(section.tools)} tools ({listed}); {MOST_TOOLS} are the most"
        raise TeamError(what, where=where, mend="Give some of them to another agent.")


def _check_servers(file: TeamFile, section: AgentSection, where: str) -> None:
    for tool in filter(is_mcp, section.tools):
        try:
            picked = read_reference(tool)
        except TeamError as error:
            raise TeamError(error.what, where=f"{where}: `{tool}`", mend=error.mend) from None
        if picked.server not in file.mcp:
            mend = (
                f"Describe it as `[mcp.{picked.server}]`. {nearest(picked.server, list(file.mcp)) if file.mcp else ''}"
            )
            raise TeamError(f"there is no server `{picked.server}`", where=f"{where}: `{tool}`", mend=mend.strip())


def _check_sets(file: TeamFile, path: Path) -> None:
    for name in file.withhold.sets:
        if name not in SETS:
            mend = nearest(name, list(SETS)).replace("It has:", "Pattern sets:")
            raise TeamError(f"`{name}` is no pattern set", where=f"{path}: withhold.sets", mend=mend)


def _check_capped(file: TeamFile, path: Path) -> None:
    sections = (file.planner, file.composer, file.reviewer, *file.agents.values())
    used = sorted({tool for section in sections for tool in section.tools})
    for name in file.tools:
        if name not in used:
            mend = f"Name one that an agent lists. {nearest(name, used)}" if used else "No agent has any."
            raise TeamError(f"no agent has a tool `{name}`", where=f"{path}: tools.{name}", mend=mend)


def _check_goal(command: TeamCommand, path: Path) -> None:
    where = f"{path}: command.goal"
    try:
        places = [place for _, place, _, _ in Formatter().parse(command.goal) if place is not None]
    except ValueError as error:
        raise TeamError(f"the template cannot be read: {error}", where=where, mend="Write `{{` for a brace.") from None
    for place in places:
        if place not in command.inputs:
            what = f"`{{{place}}}` is none of the inputs"
            raise TeamError(what, where=where, mend=nearest(place, list(command.inputs)))


def command_goal(command: TeamCommand, filenames: Mapping[str, str]) -> str:
    """The goal's text with the file name of each input in its place."""
    return command.goal.format(**filenames)
