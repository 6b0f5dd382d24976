"""Reads a reply in the text protocol: a thought, and one action or a final answer, or what was wrong with it."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from agents.protocols.text import readings
from agents.protocols.text.acting import Named, read_arguments, read_finish, read_named
from agents.protocols.text.embedded import BROKEN, Embedded, calls_in
from agents.protocols.text.input import Given
from agents.protocols.text.labels import Kind, Label, find_inline, find_labels, joined, thoughts
from agents.protocols.text.notation import NotationError, read_strict
from agents.protocols.text.offered import OfferedTool, Parameters
from agents.protocols.text.readings import Action, Final, Reading, Unparsable
from agents.protocols.text.region import Region
from agents.protocols.text.tool_names import ANSWERS, cleaned
from agents.protocols.text.unfit import UnfitError
from agents.protocols.thoughts import split_thought

MOST = 200_000
"""Characters of a reply that are read; a longer one is text, whatever it holds."""
_FENCED = re.compile(r"\A\s*```[\w+-]*[ \t]*\n(.*)\n[ \t]*```\s*\Z", re.DOTALL)


def read_reply(text: str, tools: Sequence[OfferedTool]) -> Reading:
    """What the model meant by `text`, when it could use `tools`."""
    if len(text) > MOST:
        return Unparsable((readings.TOO_LONG,))
    thought, said = split_thought(text)
    return _Reply(said, tools, thought).reading()


def read_answer(text: str) -> Final | Unparsable:
    """What it meant when it could use no tool: a text without labels is the answer."""
    if len(text) > MOST:
        return Final(text)
    thought, said = split_thought(text)
    labels = find_labels(said)
    final = next((label for label in labels if label.kind == "final"), None)
    if final:
        return Final(_answer(said[final.body :]), joined(thought, thoughts(said, labels)))
    if {"action", "input"} <= {label.kind for label in labels}:
        return Unparsable((readings.NO_TOOLS,), thought)
    return Final(said.strip(), thought)


class _Reply:
    """One reply while it is read."""

    def __init__(self, said: str, tools: Sequence[OfferedTool], thought: str) -> None:
        self._text = said
        self._tools = tools
        labels = find_labels(said)
        if not any(label.kind in {"action", "final"} for label in labels):
            labels = sorted((*labels, *find_inline(said)), key=lambda label: label.start)
        self._labels = labels
        self._ends = {one.start: two.start for one, two in pairwise(labels)}
        self._reasoned = thought
        self._thought = joined(thought, thoughts(said, labels))

    def reading(self) -> Reading:
        final = self._first("final")
        acts = [(label, read_named(self._region(label), self._tools)) for label in self._all("action")]
        # Behind a Final Answer the word may be part of the answer: only a tool's own name makes it an action there.
        meant = [
            (label, named)
            for label, named in acts
            if not named.nothing and (final is None or label.start < final.start or named.tool)
        ]
        if meant:
            return self._acted(meant, final)
        if self._observed_first(final):
            return self._wrong(readings.INVENTED_FIRST)
        if final:
            answer = _answer(self._text[final.body :])
            return Final(answer, self._thought) if answer else self._wrong(readings.NO_ANSWER)
        return self._wrong(readings.NO_NAME) if acts else self._unlabelled()

    def _acted(self, meant: Sequence[tuple[Label, Named]], final: Label | None) -> Reading:
        label, named = meant[0]
        inputs = self._input(label)
        if named.answers:
            answer = _answer(self._text[final.body :]) if final else read_finish(named, inputs)
            return Final(answer, self._thought) if answer else self._wrong(readings.NO_ANSWER)
        observed = self._first("observation", label.start)
        cut = observed.start if observed else len(self._text)
        told = {
            readings.ONE: any(other.start < cut for other, _ in meant[1:]),
            readings.NO_ANSWER_BESIDE: final is not None and final.start < cut,
            readings.INVENTED: observed is not None,
        }
        try:
            given = read_arguments(named, inputs)
        except UnfitError as error:
            return self._wrong(str(error))
        return self._action(named.tool.name if named.tool else named.name, given, told)

    def _unlabelled(self) -> Reading:
        """A reply without labels: calls left in the text, or one JSON object that is an answer."""
        found = calls_in(self._text, self._tools)
        if found.calls:
            return self._called(found)
        if alone := self._alone():
            return alone
        if found.broken:
            return self._wrong(BROKEN)
        if self._all("input"):
            return self._wrong(readings.NO_ACTION)
        if self._is_answer():
            return Final(self._text.strip(), self._thought)
        return self._wrong(readings.NEITHER)

    def _called(self, found: Embedded) -> Reading:
        call = found.calls[0]
        before = [label for label in self._labels if label.body <= len(found.before)]
        self._thought = joined(self._reasoned, thoughts(found.before, before) if before else found.before)
        if call.tool is None and cleaned(call.name).replace("_", " ").casefold() in ANSWERS:
            return Final(call.sent if isinstance(call.sent, str) else call.raw(), self._thought)
        try:
            given = call.given()
        except UnfitError as error:
            return self._wrong(str(error))
        return self._action(call.tool.name if call.tool else call.name, given, {readings.ONE: len(found.calls) > 1})

    def _alone(self) -> Reading | None:
        """A reply that is one line with a tool's name and its arguments: `look("x")`."""
        line = self._text.strip().strip("`").strip()
        named = read_named(Region(line, 0, len(line)), self._tools)
        if named.tool is None or named.call or "\n" in line or named.behind.content.lstrip()[:1] not in {"(", "[", "{"}:
            return None
        try:
            given = read_arguments(named, None)
        except UnfitError as error:
            return self._wrong(str(error))
        return None if line[given.end :].strip() else self._action(named.tool.name, given, {})

    def _is_answer(self) -> bool:
        """True for one JSON object alone, unless it looks like the arguments of a tool."""
        fenced = _FENCED.match(self._text)
        text = (fenced[1] if fenced else self._text).strip()
        try:
            read = read_strict(text) if text.startswith("{") else None
        except NotationError:
            return False
        if read is None or text[read.end :] or not read.value:
            return False
        return not any(set(read.value) <= set(Parameters(tool).schemas) for tool in self._tools)

    def _action(self, tool: str, given: Given, told: Mapping[str, bool]) -> Action:
        notes = (*(note for note, true in told.items() if true), *readings.read_as(given))
        return Action(tool, given.arguments, self._thought, notes)

    def _wrong(self, reason: str) -> Unparsable:
        return Unparsable((reason,), self._thought)

    def _all(self, kind: Kind) -> list[Label]:
        return [label for label in self._labels if label.kind == kind]

    def _first(self, kind: Kind, after: int = -1) -> Label | None:
        return next((label for label in self._all(kind) if label.start > after), None)

    def _region(self, label: Label) -> Region:
        return Region(self._text, label.body, self._ends.get(label.start, len(self._text)))

    def _input(self, action: Label) -> Region | None:
        """The Action Input that belongs to an action: the next one, or the one before where they come swapped."""
        both = [label for label in self._labels if label.kind in {"action", "input"}]
        place = both.index(action)
        step = -1 if both[0].kind == "input" else 1
        neighbour = both[place + step] if 0 <= place + step < len(both) else None
        return self._region(neighbour) if neighbour and neighbour.kind == "input" else None

    def _observed_first(self, final: Label | None) -> bool:
        """True when an observation was made up before the answer; one that begins the reply only repeats ours."""
        observed = self._first("observation")
        if observed is None or (final and final.start < observed.start):
            return False
        return bool(self._text[: observed.start].strip())


def _answer(text: str) -> str:
    """An answer without the fence that was opened before its label."""
    text = text.strip()
    return text[:-3].rstrip() if text.endswith("```") and text.count("```") % 2 else text
