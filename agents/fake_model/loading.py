"""Reads a script from YAML or JSON lines, and says on which line what is wrong with it."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import orjson
import yaml
from pydantic import ValidationError

from agents.fake_model.script import Script
from orchestrator.errors import InputError

Place = tuple[str | int, ...]


def load_script(path: Path) -> Script:
    """Read the script at `path`: JSON lines (one rule a line) when it ends in `.jsonl`, otherwise YAML.

    Raises InputError with the file, the line and the rule.
    """
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise InputError(f"the script cannot be read: {error.strerror}", where=str(path)) from None
    except UnicodeDecodeError:
        raise InputError("the script is no UTF-8 text", where=str(path), mend="Save it as UTF-8.") from None
    return parse_jsonl(text, str(path)) if path.suffix == ".jsonl" else parse_yaml(text, str(path))


def parse_yaml(text: str, name: str = "script") -> Script:
    """Read a script in YAML. Raises InputError."""
    try:
        data, lines = _document(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{name}:{mark.line + 1}" if mark else name
        raise InputError(f"this is no YAML: {error.problem or error.context}", where=where) from None
    except yaml.YAMLError as error:
        raise InputError(f"this is no YAML: {error}".split("\n")[0], where=name) from None
    except RecursionError:
        raise InputError("this is no YAML that can be read: it is nested too deep", where=name) from None
    if isinstance(data, list):
        return _validated({"rules": data}, name, {("rules", *place): line for place, line in lines.items()})
    if not isinstance(data, dict):
        raise InputError("the script holds no rules", where=name, mend="Begin with `rules:`.")
    return _validated(cast("dict[str, Any]", data), name, lines)


def _document(text: str) -> tuple[object, dict[Place, int]]:
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        return (loader.construct_document(node), _lines(node, ())) if node else (None, {})
    finally:
        loader.dispose()


def parse_jsonl(text: str, name: str = "script") -> Script:
    """Read a script of JSON lines, one rule a line. Raises InputError."""
    rules: list[object] = []
    lines: dict[Place, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        lines["rules", len(rules)] = number
        try:
            rules.append(orjson.loads(line))
        except orjson.JSONDecodeError as error:
            raise InputError(f"this line is no JSON: {error.msg}", where=f"{name}:{number}") from None
    return _validated({"rules": rules}, name, lines)


def _validated(data: Mapping[str, Any], name: str, lines: Mapping[Place, int]) -> Script:
    try:
        return Script.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = first["loc"]
        where = f"{name}:{line}" if (line := _nearest(place, lines)) else name
        what = str(first["msg"]).removeprefix("Value error, ")
        more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
        raise InputError(f"{_spoken(place)}: {what}{more}", where=where) from None


def _nearest(place: Place, lines: Mapping[Place, int]) -> int | None:
    """The line of `place`, or of the nearest thing around it that stands in the file."""
    for length in range(len(place), 0, -1):
        if (line := lines.get(place[:length])) is not None:
            return line
    return None


def _spoken(place: Place) -> str:
    """`rules.2.reply.calls.0.tool` as `rule 3: reply.calls.0.tool`, rules counted as people count."""
    if len(place) >= 2 and place[0] == "rules" and isinstance(place[1], int):
        rest = ".".join(str(part) for part in place[2:])
        return f"rule {place[1] + 1}: {rest}" if rest else f"rule {place[1] + 1}"
    return ".".join(str(part) for part in place) or "the script"


_SCALARS = (
    ("null", r"(?:~|null|)", ("~", "n", "")),
    ("bool", r"(?:true|false)", "tf"),
    ("int", r"-?(?:0|[1-9][0-9]*)", "-0123456789"),
    ("float", r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?", "-0123456789"),
    ("merge", r"<<", "<"),
)


class _Loader(yaml.SafeLoader):
    """YAML as people expect it: `no` and `12:30` and `2024-01-31` are texts; a key twice is an error."""

    yaml_implicit_resolvers = {  # noqa: RUF012  # PyYAML looks it up under this name on the class
        first: [
            (f"tag:yaml.org,2002:{tag}", re.compile(f"^{pattern}$"))
            for tag, pattern, firsts in _SCALARS
            if first in firsts
        ]
        for first in ("", *"~ntf<-0123456789")
    }

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Refuse a key that is given twice, of which YAML would take the last."""
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value in seen:
                problem = f"the key `{key.value}` is given twice"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
            seen.add(str(key.value))
        return super().construct_mapping(node, deep=deep)


def _lines(node: yaml.Node, place: Place, inside: tuple[int, ...] = ()) -> dict[Place, int]:
    """On which line each part of the document stands."""
    if id(node) in inside:
        raise yaml.MarkedYAMLError(problem="this part holds itself", problem_mark=node.start_mark)
    found: dict[Place, int] = {place: node.start_mark.line + 1}
    around = (*inside, id(node))
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            found |= _lines(value, (*place, str(key.value)), around)
            found[(*place, str(key.value))] = key.start_mark.line + 1
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            found |= _lines(item, (*place, index), around)
    return found
