"""The tool `documents.read`: reads passages of a document in order."""

import re
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from agents.errors import ToolError
from agents.shrinking import size
from agents.tools.builtin.documents.corpus import Entry, library_of
from agents.tools.builtin.documents.passages import Passage
from agents.tools.builtin.documents.telling import ROOM, document_of, fitting, told
from agents.tools.function import ToolContext, ToolResult, tool

_MOST_OUTLINE = 40
_ID = re.compile(r"(?P<name>[^#]+)#(?P<number>\d{1,9})")


@tool(
    "documents.read",
    effect="read",
    use_when="you need a passage whole, what stands around it, a page, or a document's outline",
    not_when="you do not know which document says it (search first)",
    seconds=120.0,
    isolated=True,
)
def read(
    context: ToolContext,
    document: Annotated[
        str,
        Field(max_length=300, description="Name of the document, or the id of a passage.", examples=["policy#3"]),
    ],
    *,
    passage: Annotated[
        int | None, Field(ge=1, description="The first passage to read; left out: from the start.")
    ] = None,
    page: Annotated[int | None, Field(ge=1, description="A PDF's page to read, instead.")] = None,
    count: Annotated[int, Field(ge=1, le=50, description="How many passages at most.")] = 5,
) -> ToolResult:
    """Read passages of a document in order; from the start, its outline comes with them."""
    library = library_of(context)
    named = _ID.fullmatch(document.strip())
    if named and document not in {entry.name for entry in library.entries}:
        document, passage = named["name"], passage or int(named["number"])
    entry = document_of(library, document)
    chosen = _on_page(entry, page) if page is not None else _from(entry, passage or 1)
    outline = _outline(entry) if passage is None and page is None else []
    telling = (told(entry.name, one) for one in (chosen if page else chosen[:count]))
    shown = fitting(telling, ROOM - size(outline, ROOM))
    last = shown[-1]["passage"]
    total = len(entry.kept.passages)
    data: dict[str, Any] = {
        "document": entry.name,
        "file": entry.filename,
        "title": entry.kept.title,
        "passages": shown,
        "total_passages": total,
        "next": f"{entry.name}#{last + 1}" if last < total else None,
        "notes": list(entry.kept.notes),
    }
    if entry.kept.pages:
        data["pages"] = entry.kept.pages
    if outline:
        data["outline"] = outline
    return ToolResult(summary=_read_summary(entry, shown, data["next"]), data=data, shown=data)


def _from(entry: Entry, number: int) -> Sequence[Passage]:
    total = len(entry.kept.passages)
    if number > total:
        what = f"{entry.name} has {total:,} passages, so there is none with the number {number:,}"
        raise ToolError("unknown_passage", what, hint=f"They are {entry.name}#1 to {entry.name}#{total}.")
    return entry.kept.passages[number - 1 :]


def _on_page(entry: Entry, page: int) -> Sequence[Passage]:
    chosen = [one for one in entry.kept.passages if one.page == page]
    if chosen:
        return chosen
    if not entry.kept.pages:
        what = f"{entry.filename} has no pages, only passages"
        raise ToolError("unknown_page", what, hint=f"Read it by passage: 1 to {len(entry.kept.passages)}.")
    if page > entry.kept.pages:
        what = f"{entry.filename} has {entry.kept.pages:,} pages, so there is no page {page:,}"
        raise ToolError("unknown_page", what, hint="Take a smaller number.")
    raise ToolError("unknown_page", f"there is no text on page {page}", hint="Perhaps it is an image; read another.")


def _outline(entry: Entry) -> list[dict[str, str]]:
    """Headings with the first passage under each."""
    outline: dict[str, str] = {}
    for passage in entry.kept.passages:
        if passage.heading:
            outline.setdefault(passage.heading, f"{entry.name}#{passage.number}")
    return [{"heading": heading, "id": first} for heading, first in list(outline.items())[:_MOST_OUTLINE]]


def _read_summary(entry: Entry, shown: Sequence[dict[str, Any]], following: str | None) -> str:
    first, last, total = shown[0]["passage"], shown[-1]["passage"], len(entry.kept.passages)
    which = f"passage {first}" if first == last else f"passages {first} to {last}"
    going_on = f" Go on with {following}." if following else " That is its end."
    return f"{entry.filename}: {which} of {total:,}.{going_on}"
