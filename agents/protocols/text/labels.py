"""Finds the labels of the text protocol (Thought, Action, Action Input, Observation, Final Answer) in a reply."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from agents.protocols.text.notation import NotationError, read_strict

Kind = Literal["thought", "action", "input", "observation", "final"]

_WORDS: tuple[tuple[Kind, str], ...] = (
    ("input", r"action[ _-]?inputs?|action[ _-]?arguments|行动输入|动作输入|操作输入|工具输入|输入参数"),
    ("final", r"final[ _-]?answer|最终答案|最终回答|最后答案"),
    ("thought", r"thoughts?|思考|想法"),
    ("observation", r"observation|观察结果|观察|观测"),
    ("action", r"action|行动|动作|操作"),
)
_NAMED = "|".join(f"(?P<{kind}>{words})" for kind, words in _WORDS)
# Emoji, bullets, Markdown and numbers may stand before a label; letters, quotes and brackets may not.
_SIGNS = r"[^\w\n\"'“”‘’「」\[\](){}<>`]{0,12}"
_BEFORE = rf"^(?P<before>{_SIGNS}(?:>[ \t]{{0,3}}){{0,3}}(?:\d{{1,2}}[.)、][ \t]{{0,3}})?[*_#]{{0,6}}[ \t]{{0,3}})"
_AFTER = r"(?:[ \t]{0,2}\#?\d{1,3})?[ \t]{0,3}(?P<bold>[*_]{0,3})[ \t]{0,3}[:：](?P<rest>[*_]{0,3})"
_LABEL = re.compile(_BEFORE + f"(?:{_NAMED})" + _AFTER, re.IGNORECASE | re.MULTILINE)
_INLINE_INPUT = re.compile(rf"\b(?:{_WORDS[0][1]})[ \t]{{0,3}}[:：]", re.IGNORECASE)
_INLINE_ACTION = re.compile(
    rf"(?<![\"'“‘`\w])Action[ \t]{{0,3}}[:：](?=[ \t]{{0,3}}\S{{1,80}}[ \t]{{1,3}}(?i:{_WORDS[0][1]})[ \t]{{0,3}}[:：])"
)
_INLINE_FINAL = re.compile(r"(?<![\"'“‘`\w])(?:Final Answer|FINAL ANSWER|最终答案|最终回答)[ \t]{0,3}[:：]")
_MARK = r"[*_]{0,3}[ \t]{0,3}"
# An Action Input by a shorter name counts on the line after its Action only.
_NEXT_INPUT = re.compile(
    rf"[^\n]{{0,200}}\n{_SIGNS}{_MARK}(?:tool input|input|arguments|args|parameters|参数|输入){_MARK}[:：]{_MARK}",
    re.IGNORECASE,
)
# Where there is no Final Answer with a colon: a heading of that name, or a shorter label.
_HEADED_FINAL = re.compile(
    rf"^{_SIGNS}(?:{_WORDS[1][1]}){_MARK}\r?$|^{_SIGNS}(?:answer|答案|回答){_MARK}[:：]{_MARK}",
    re.IGNORECASE | re.MULTILINE,
)
MOST = 60
"""Labels that are looked at in one reply."""


@dataclass(frozen=True, slots=True)
class Label:
    """One label: `start` is where its line begins, `body` where what it labels begins."""

    kind: Kind
    start: int
    body: int


def find_labels(text: str) -> list[Label]:
    """The labels at the beginnings of lines, but none inside the JSON of an Action Input."""
    found: list[Label] = []
    at = 0
    while len(found) < MOST and (match := _LABEL.search(text, at)):
        kind: Kind = next(kind for kind, _ in _WORDS if match[kind])
        # `**Action:**` closes behind the colon what it opened before the word.
        closed = bool(match["bold"]) or not match["before"].strip(" \t").endswith(("*", "_"))
        body = match.end() - (len(match["rest"]) if closed else 0)
        found.append(Label(kind, match.start(), body))
        at = body
        if kind == "action" and (inline := _inline_input(text, body)):
            found.append(inline)
            kind, at = "input", inline.body
        if kind == "input":
            at = _value_end(text, at)
    return found


def find_inline(text: str) -> list[Label]:
    """An action with its input, or a final answer, in the middle of a line or under a heading without a colon."""
    if action := _INLINE_ACTION.search(text):
        inputs = _inline_input(text, action.end())
        return [Label("action", action.start(), action.end()), *([inputs] if inputs else [])]
    if final := _HEADED_FINAL.search(text) or _INLINE_FINAL.search(text):
        return [Label("final", final.start(), final.end())]
    return []


def _inline_input(text: str, at: int) -> Label | None:
    """The Action Input on the same line as its Action, or under another name on the next."""
    if match := _NEXT_INPUT.match(text, at):
        return Label("input", match.start() + match[0].index("\n") + 1, match.end())
    end = text.find("\n", at)
    match = _INLINE_INPUT.search(text, at, len(text) if end < 0 else end)
    return Label("input", match.start(), match.end()) if match else None


def _value_end(text: str, at: int) -> int:
    """Where the strict JSON at `at` ends, or `at`."""
    start = re.compile(r"\s*(?:```[\w+-]*\s*)?").match(text, at)
    place = start.end() if start else at
    if text[place : place + 1] not in {"{", "["}:
        return at
    try:
        read = read_strict(text, place)
    except NotationError:
        return at
    return read.end if read else at


def thoughts(said: str, labels: Sequence[Label]) -> str:
    """The thoughts before the first action or answer; without a label, what stands before the first label."""
    bodies: list[str] = []
    for place, label in enumerate(labels):
        if label.kind in {"action", "final", "input"}:
            break
        if label.kind == "thought":
            end = labels[place + 1].start if place + 1 < len(labels) else len(said)
            bodies.append(said[label.body : end].strip())
    if not bodies and labels:
        bodies = [said[: labels[0].start].strip("` \t\r\n\ufeff")]
    return joined(*bodies)


def joined(*parts: str) -> str:
    """The parts that are not empty, each on lines of its own."""
    return "\n".join(part for part in parts if part)
