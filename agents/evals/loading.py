"""Finds files of cases and makes their cases whole; every mistake is one line with the file and its line."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from agents.catalog.loading import SHIPPED as TEAMS
from agents.evals.case import Case, CaseFile, WrittenCase
from agents.located_yaml import Place, line_of, read_yaml
from agents.references import nearest
from agents.tools.registry import BUILTIN
from orchestrator.domain.goal import Limits
from orchestrator.errors import InputError

TOOL_CASES = Path(__file__).parent / "tools"
"""The cases of the built-in tools, a file each."""
TEAM_CASES = "evals.yaml"
"""The cases of a shipped team, in its folder."""
T = TypeVar("T")
_MAPPING = "write a mapping, as `{{key: value}}`"
_WORDS: Mapping[str, str] = {
    "extra_forbidden": "there is no such key",
    "missing": "it is missing",
    "string_too_short": "it is empty",
    "too_short": "it needs {min_length} at least",
    "too_long": "{max_length} at most, not {actual_length}",
    "tuple_type": "write a list, as `[a, b]`",
    "model_type": _MAPPING,
    "dict_type": _MAPPING,
}
"""What a person has to write, where the words of the library are those of Python."""


def shipped_cases() -> dict[str, Path]:
    """Name → file, of the cases that ship with the built-in tools and the teams."""
    tools = {path.stem: path for path in sorted(TOOL_CASES.glob("*.yaml"))}
    return tools | {path.parent.name: path for path in sorted(TEAMS.glob(f"*/{TEAM_CASES}"))}


def load_cases(named: Sequence[str]) -> tuple[Case, ...]:
    """The cases of all that is named: files, folders, shipped teams, built-in tools. Raises InputError in one line."""
    cases = [case for name in named for case in _named(name)]
    seen: dict[str, Case] = {}
    for case in cases:
        if other := seen.get(case.name):
            what = f"two cases are called `{case.name}`; the other stands at {other.source}"
            raise InputError(what, where=case.source, mend="Give each a name of its own.")
        seen[case.name] = case
    return tuple(cases)


def _named(name: str) -> Iterator[Case]:
    if name in BUILTIN and name not in shipped_cases():
        # One of several tools whose cases share a file, such as `tables.query`.
        paths = sorted(TOOL_CASES.glob("*.yaml"))
        yield from (case for path in paths for case in read_cases(path) if case.name.startswith(f"{name} "))
        return
    for path in _files(name):
        yield from read_cases(path)


def _files(name: str) -> Sequence[Path]:
    shipped = shipped_cases()
    if name in shipped:
        return (shipped[name],)
    path = _from_home(name)
    if path.is_dir():
        found = sorted(one for one in path.iterdir() if one.suffix in {".yaml", ".yml"} and one.is_file())
        if not found:
            raise InputError("no cases stand in this folder", where=name, mend="Name a file of cases, *.yaml.")
        return found
    if not path.exists() and not path.suffix and len(path.parts) == 1:
        mend = nearest(name, list(shipped)).replace("It has:", "Cases ship for:")
        raise InputError("there are no such cases", where=f"`{name}`", mend=f"{mend} Or give the path of a file.")
    return (path,)


def _from_home(text: str) -> Path:
    """The path with `~` for a home; one that nobody has stays as it is, and no file is there."""
    try:
        return Path(text).expanduser()
    except RuntimeError:
        return Path(text)


def read_cases(path: Path) -> tuple[Case, ...]:
    """The cases of one file. Raises InputError in one line."""
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise InputError(f"the cases cannot be read: {error.strerror}", where=str(path)) from None
    except UnicodeDecodeError:
        raise InputError("the cases are no UTF-8 text", where=str(path), mend="Save them as UTF-8.") from None
    document, lines = read_yaml(text, str(path))
    if not isinstance(document, dict):
        raise InputError("the file holds no cases", where=str(path), mend="Begin with `cases:`.")
    try:
        file = CaseFile.model_validate(document)
    except ValidationError as error:
        raise _as_input_error(error, path, lines) from None
    return tuple(_whole(path, file, lines))


def _whole(path: Path, file: CaseFile, lines: Mapping[Place, int]) -> Iterator[Case]:
    for position, case in enumerate(file.cases):
        place: Place = ("cases", position)
        where = f"{path}:{line_of((*place, 'name'), lines)}"
        team, tools = (case.team, case.tools) if case.team or case.tools else (file.team, file.tools)
        if not team and not tools:
            mend = "Write `team: NAME` or `tools: [NAME]`, in the case or at the top of the file."
            raise InputError(f"case `{case.name}` has no team", where=where, mend=mend)
        yield Case(
            name=case.name,
            goal=case.goal,
            team=_team(path, team),
            tools=tools,
            inputs=_inputs(path, case, place, lines),
            parameters=case.parameters,
            people=case.people or file.people,
            limits=_limits(case.limits, file.limits),
            expect=case.expect,
            source=where,
        )


def _team(path: Path, team: str | None) -> str | None:
    """A team file is looked for beside the file of the cases first."""
    beside = path.parent / team if team else None
    return str(beside) if beside and beside.exists() else team


def _inputs(path: Path, case: WrittenCase, place: Place, lines: Mapping[Place, int]) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for name, given in case.inputs.items():
        file = path.parent / _from_home(given)
        if not file.is_file():
            where = f"{path}:{line_of((*place, 'inputs', name), lines)}"
            raise InputError(f"case `{case.name}`: there is no file `{given}`", where=where, mend=f"Put it at {file}.")
        found[name] = file
    return found


def _limits(case: Limits, file: Limits) -> Limits:
    return Limits(
        tokens=_first(case.tokens, file.tokens),
        seconds=_first(case.seconds, file.seconds),
        steps=_first(case.steps, file.steps),
    )


def _first(one: T | None, other: T | None) -> T | None:
    return other if one is None else one


def _as_input_error(error: ValidationError, path: Path, lines: Mapping[Place, int]) -> InputError:
    # A key that is misspelt is also one that is missing; the first says more.
    faults = sorted(error.errors(include_url=False), key=lambda fault: fault["type"] != "extra_forbidden")
    first = faults[0]
    line = line_of(first["loc"], lines)
    # A list all of whose items are bad also counts as too short; that says nothing more.
    others = sum(1 for fault in faults[1:] if fault["type"] != "too_short")
    more = f" (and {others} more)" if others else ""
    where = f"{path}:{line}" if line else str(path)
    return InputError(f"{_spoken(first['loc'])}: {_said(first)}{more}", where=where)


def _said(fault: ErrorDetails) -> str:
    words = _WORDS.get(fault["type"])
    return words.format(**fault.get("ctx", {})) if words else str(fault["msg"]).removeprefix("Value error, ")


def _spoken(place: Place) -> str:
    """`cases.2.expect.calls.0.tool` as `case 3: expect.calls.0.tool`, cases counted as people count."""
    if len(place) >= 2 and place[0] == "cases" and isinstance(place[1], int):
        rest = ".".join(str(part) for part in place[2:])
        return f"case {place[1] + 1}: {rest}" if rest else f"case {place[1] + 1}"
    return ".".join(str(part) for part in place) or "the file"
