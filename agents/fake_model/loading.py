"""Reads a script from YAML or JSON lines, and says on which line what is wrong with it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import orjson
from pydantic import ValidationError

from agents.fake_model.script import Script
from agents.located_yaml import Place, line_of, read_yaml
from orchestrator.errors import InputError


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
    data, lines = read_yaml(text, name)
    if isinstance(data, list):
        return _validated({"rules": data}, name, {("rules", *place): line for place, line in lines.items()})
    if not isinstance(data, dict):
        raise InputError("the script holds no rules", where=name, mend="Begin with `rules:`.")
    return _validated(cast("dict[str, Any]", data), name, lines)


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
        where = f"{name}:{line}" if (line := line_of(place, lines)) else name
        what = str(first["msg"]).removeprefix("Value error, ")
        if first["type"] == "extra_forbidden":
            what = "there is no such key"
        more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
        raise InputError(f"{_spoken(place)}: {what}{more}", where=where) from None


def _spoken(place: Place) -> str:
    """`rules.2.reply.calls.0.tool` as `rule 3: reply.calls.0.tool`, rules counted as people count."""
    if len(place) >= 2 and place[0] == "rules" and isinstance(place[1], int):
        rest = ".".join(str(part) for part in place[2:])
        return f"rule {place[1] + 1}: {rest}" if rest else f"rule {place[1] + 1}"
    return ".".join(str(part) for part in place) or "the script"
