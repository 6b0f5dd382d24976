"""Finds the rule of a script that answers a request."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from agents.fake_model.requests import Asked
from agents.fake_model.script import Reply, Rule, TextTest, When
from agents.protocols.names import wire_name


@dataclass(frozen=True, slots=True)
class Match:
    """The rule (counted from 0) that answers, its reply, and the named groups of its regular expressions."""

    rule: int
    reply: Reply
    groups: dict[str, str] = field(default_factory=dict[str, str])


def find(rules: Sequence[Rule], request: Asked, served: Sequence[int]) -> Match | None:
    """The first rule that fits and has not served as often as it may; `served` counts for each."""
    for index, rule in enumerate(rules):
        if rule.times is not None and served[index] >= rule.times:
            continue
        reply = rule.reply
        if rule.steps:
            reply = rule.steps[request.replies] if request.replies < len(rule.steps) else None
        groups: dict[str, str] = {}
        if reply is not None and fits(rule.when, request, groups):
            return Match(index, reply, groups)
    return None


def fits(when: When, request: Asked, groups: dict[str, str]) -> bool:
    """True when every given condition holds; named groups of regular expressions are put into `groups`."""
    return _facts_fit(when, request) and all(
        test is None or any(_passes(test, text, groups) for text in texts) for test, texts in _texts(when, request)
    )


def _facts_fit(when: When, request: Asked) -> bool:
    given = (
        (when.last_role, request.last.role),
        (when.tool_results, len(request.results)),
        (when.replies, request.replies),
        (when.model, request.model),
        (when.request, request.number),
    )
    if any(wanted is not None and wanted != found for wanted, found in given):
        return False
    if when.tools is None:
        return True
    if not when.tools:
        return not request.tools
    return all(name in request.tools or wire_name(name) in request.tools for name in when.tools)


def _texts(when: When, request: Asked) -> Iterable[tuple[TextTest | None, Iterable[str]]]:
    yield when.system, (request.system,)
    yield when.user, (request.user,)
    yield when.last, (request.last.text,)
    yield when.tool_result, request.last_results
    yield when.anywhere, (turn.text for turn in request.turns)


def _passes(test: TextTest, text: str, groups: dict[str, str]) -> bool:
    if not all(part in text for part in test.contains) or any(part in text for part in test.lacks):
        return False
    if test.matches is None:
        return True
    found = re.search(test.matches, text)
    if found is None:
        return False
    groups.update({name: value or "" for name, value in found.groupdict().items()})
    return True


def unmatched(script_name: str, request: Asked) -> str:
    """What to tell whoever sent a request that no rule answers."""
    tools = ", ".join(request.tools) or "none"
    return (
        f"no rule of {script_name} fits request {request.number}: model `{request.model}`, "
        f"{len(request.turns)} messages of which {request.replies} replies and {len(request.results)} tool results, "
        f"tools offered: {tools}; the system prompt begins `{_begin(request.system)}`, "
        f"the last message ({request.last.role}) begins `{_begin(request.last.text)}`"
    )


def _begin(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 120 else line[:120] + "…"
