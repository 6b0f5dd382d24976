"""Finds the tool that a model means by what it wrote: other case, quotes, a namespace, an explanation behind it."""

import re
from collections.abc import Sequence
from typing import TypeVar

from agents.protocols.names import called_name
from agents.protocols.text.offered import OfferedTool

LONGEST = 80
_AROUND = "`*_\"'“”‘’「」 \t\u200b\ufeff.,;:：，。"
_SPACES = re.compile(r"(?:functions?|tools?|default_api|api|namespace)\s*[.:/]\s*(?=\S)", re.IGNORECASE)
_TOKEN = re.compile(r"[^\s()\[\]{}（）【】,，。;；:：\"'`“”]+")
_LOOSE = re.compile(r"[\W_]+")
NONE = frozenset({"none", "null", "n/a", "na", "no", "nothing", "no action", "no tool", "无", "没有", "不需要"})
ANSWERS = frozenset({"finish", "final answer", "final", "answer", "最终答案", "回答", "完成"})

T = TypeVar("T", bound=OfferedTool)


def cleaned(written: str) -> str:
    """What was written without quotes, marks and blanks around it."""
    return written.strip().strip(_AROUND).strip()


def named_tool(written: str, tools: Sequence[T]) -> T | None:
    """The tool of that name, in any case and with any namespace; None when there is none, or more than one."""
    for tool in tools:
        if tool.name == written.strip():
            return tool
    name = _SPACES.sub("", cleaned(written), count=1)
    found = called_name(name, [tool.name for tool in tools])
    for tool in tools:
        if tool.name == found:
            return tool
    loose = _LOOSE.sub("", name).casefold()
    close = [tool for tool in tools if _LOOSE.sub("", tool.name).casefold() == loose]
    return close[0] if len(close) == 1 and loose else None


def split_name(line: str, tools: Sequence[T]) -> tuple[T | None, str, str]:
    """(tool, its name as written, what stands behind it) of the text of an action."""
    start = len(line) - len(line.lstrip(_AROUND))
    token = _TOKEN.match(line, start)
    whole = cleaned(line)
    if tool := named_tool(line, tools):
        return tool, whole, ""
    if token is None:
        return None, whole[:LONGEST], ""
    if not named_tool(token[0], tools) and (space := _SPACES.match(line, start)):
        token = _TOKEN.match(line, space.end()) or token
    tool = named_tool(token[0], tools)
    rest = line[token.end() :].lstrip("`*\"'”’」")
    if tool is None and rest.lstrip()[:1] not in {"", "(", "[", "{", "（"}:
        return None, whole[:LONGEST], ""
    return tool, cleaned(token[0])[:LONGEST], rest
