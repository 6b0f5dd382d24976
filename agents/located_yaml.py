"""Reads YAML as people expect it, and remembers on which line each part stands."""

import re
from collections.abc import Mapping
from typing import Any

import yaml

from orchestrator.errors import InputError

Place = tuple[str | int, ...]
"""The way to a part of a document: keys and positions."""

_SCALARS = (
    ("null", r"(?:~|null|)", ("~", "n", "")),
    ("bool", r"(?:true|false)", "tf"),
    ("int", r"-?(?:0|[1-9][0-9]*)", "-0123456789"),
    ("float", r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?", "-0123456789"),
    ("merge", r"<<", "<"),
)


def read_yaml(text: str, name: str) -> tuple[object, dict[Place, int]]:
    """The document and the line of each of its parts. Raises InputError in one line that names the file's line."""
    try:
        return _document(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{name}:{mark.line + 1}" if mark else name
        raise InputError(f"this is no YAML: {error.problem or error.context}", where=where) from None
    except yaml.YAMLError as error:
        raise InputError(f"this is no YAML: {error}".split("\n")[0], where=name) from None
    except RecursionError:
        raise InputError("this is no YAML that can be read: it is nested too deep", where=name) from None


def _document(text: str) -> tuple[object, dict[Place, int]]:
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        return (loader.construct_document(node), _lines(node, ())) if node else (None, {})
    finally:
        loader.dispose()


def line_of(place: Place, lines: Mapping[Place, int]) -> int | None:
    """The line of a part, or of the nearest thing around it that stands in the file."""
    for length in range(len(place), 0, -1):
        if (line := lines.get(place[:length])) is not None:
            return line
    return None


class _Loader(yaml.SafeLoader):
    """`no` and `12:30` and `2024-01-31` are texts; a key twice is an error."""

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
