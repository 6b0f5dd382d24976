"""How documents and passages are named and shown to an agent."""

from collections.abc import Iterable, Sequence
from typing import Any

from rapidfuzz import process

from agents.errors import ToolError
from agents.shrinking import size
from agents.tools.builtin.documents.corpus import Entry, Library
from agents.tools.builtin.documents.passages import Passage

ROOM = 6_800
"""Characters of what is shown at once."""


def document_of(library: Library, name: str) -> Entry:
    """The document of this name. Raises ToolError when there is none, or when the input is no document."""
    for entry in library.entries:
        if name in (entry.name, entry.filename):
            if entry.is_document:
                return entry
            kept = entry.kept
            what = f"{entry.filename} cannot be read as a document: {kept.unreadable}"
            raise ToolError("not_a_document", what, hint=kept.mend)
    names = [entry.name for entry in library.entries]
    nearest = [str(one[0]) for one in process.extract(name, names, limit=None)]
    hint = f"There are: {', '.join(nearest)}." if nearest else "The goal has no input files."
    raise ToolError("unknown_document", f"the goal has no document `{name[:100]}`", hint=hint)


def told(document: str, passage: Passage) -> dict[str, Any]:
    """A passage with its id."""
    shown: dict[str, Any] = {"id": f"{document}#{passage.number}", "passage": passage.number}
    if passage.page is not None:
        shown["page"] = passage.page
    if passage.heading:
        shown["heading"] = passage.heading
    return {**shown, "text": passage.text}


def fitting(passages: Iterable[dict[str, Any]], room: int = ROOM) -> list[dict[str, Any]]:
    """As many passages as can be shown whole; the first in any case."""
    kept: list[dict[str, Any]] = []
    left = room
    for one in passages:
        left -= size(one, ROOM)
        if left < 0 and kept:
            break
        kept.append(one)
    return kept


def reasons(entries: Sequence[Entry]) -> list[str]:
    """Why inputs are no documents."""
    return [f"{entry.name} ({entry.filename}): {entry.kept.unreadable}" for entry in entries]
