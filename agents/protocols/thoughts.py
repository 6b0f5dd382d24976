"""Separates what a model thought from what it said, in each of the ways in which servers mix the two."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

_BLOCK = re.compile(r"\A\s*<(think|thinking|thought)>(.*?)</\1>", re.DOTALL | re.IGNORECASE)
# A block that never ends goes to the end of the text, or to the tool call that its writer went over to.
_UNCLOSED = re.compile(
    r"\A\s*<(think|thinking|thought)>(.*?)(?=<tool_call>|<function=|\[TOOL_CALLS\]|\Z)", re.DOTALL | re.IGNORECASE
)
# The opening tag stood in the prompt's template: only the closing one comes back, on a line of its own.
_UNOPENED = re.compile(r"\A((?:(?!<think)[\s\S])*?)(?:^|\n)[ \t]*</think(?:ing)?>", re.IGNORECASE)


def split_thought(text: str) -> tuple[str, str]:
    """(thought, said) of a text that may begin with `<think>` blocks, the first perhaps unopened, the last unclosed."""
    if "<" not in text:
        return "", text
    thoughts: list[str] = []
    if unopened := _UNOPENED.match(text):
        thoughts.append(unopened[1])
        text = text[unopened.end() :]
    while block := _BLOCK.match(text) or _UNCLOSED.match(text):
        thoughts.append(block[2])
        text = text[block.end() :]
    if not thoughts:
        return "", text
    return "\n".join(thought.strip() for thought in thoughts if thought.strip()), text.lstrip()


def text_of(content: object) -> tuple[str, str]:
    """(thought, said) of a message's `content`: a text, a list of parts, or nothing."""
    if isinstance(content, str):
        return split_thought(content)
    if not isinstance(content, Sequence):
        return "", ""
    thoughts: list[str] = []
    said: list[str] = []
    for part in cast("Sequence[Any]", content):
        if isinstance(part, str):
            said.append(part)
        elif isinstance(part, Mapping):
            _sort_part(cast("Mapping[str, Any]", part), thoughts, said)
    thought, text = split_thought("".join(said))
    return "\n".join(piece for piece in (*thoughts, thought) if piece), text


def _sort_part(part: Mapping[str, Any], thoughts: list[str], said: list[str]) -> None:
    if part.get("type") in {"thinking", "reasoning"}:
        inner = part.get("thinking", part.get("text", part.get("content", "")))
        thoughts.append("".join(text_of(inner)))
    elif isinstance(text := part.get("text"), str):
        said.append(text)
    elif isinstance(refusal := part.get("refusal"), str):
        said.append(refusal)
