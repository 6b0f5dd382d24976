"""The tool `web.fetch`: a page, a PDF or a text from the web as text, with where and when it was found."""

import tempfile
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Annotated, Any
from urllib.parse import unquote, urlsplit

from pydantic import Field

from agents.errors import ToolError
from agents.shrinking import size
from agents.tools.builtin.documents.document import Document, UnreadableError
from agents.tools.builtin.documents.index import search_index, write_index
from agents.tools.builtin.documents.markup import read_html
from agents.tools.builtin.documents.passages import passages
from agents.tools.builtin.documents.reading import read_document
from agents.tools.builtin.documents.scripts import terms
from agents.tools.builtin.web.getting import Got, get
from agents.tools.builtin.web.reach import reach_of
from agents.tools.function import ToolContext, ToolResult, tool

ROOM = 6_500
"""Characters of a page that are shown at once."""
_SECONDS = 45.0
_EARLY = 1.0
"""Seconds before the deadline at which a server is given up: time to say so."""
_MOST_PASSAGES = 6
_WITHOUT_TEXT = ("image/", "audio/", "video/", "font/")
_TABLES = (".csv", ".tsv")


@tool(
    "web.fetch",
    effect="read",
    use_when="you have the address of a page and need what it says",
    not_when="you would have to guess the address, or the page was fetched already (read more of it)",
    seconds=_SECONDS + 15.0,
    isolated=True,
)
def fetch(
    context: ToolContext,
    url: Annotated[
        str,
        Field(min_length=1, max_length=2_000, description="http or https.", examples=["https://example.org/report"]),
    ],
    *,
    looking_for: Annotated[
        str | None,
        Field(max_length=400, description="Words to look for: of a long page, the passages with them are shown first."),
    ] = None,
) -> ToolResult:
    """Fetch a public web page, PDF or text and return its text."""
    reach = reach_of(context.setting("web_allow"), context.setting("web_only"))
    got = get(url, reach, context.deadline.sooner(min(_SECONDS, context.deadline.left() - _EARLY)))
    document = _document(got)
    text = "\n\n".join(page.text.strip() for page in document.pages if page.text.strip())
    if not text:
        return _empty(url, got)
    data = {
        "url": got.address,
        "asked_for": url,
        "redirects": list(got.redirects[1:]),
        "title": document.title,
        "type": document.kind,
        "fetched_at": datetime.now(UTC).replace(microsecond=0).isoformat(),
        "characters": len(text),
        "notes": list(document.notes),
        "text": text,
    }
    summary = f"{document.title[:150]} ({got.address[:200]}): {len(text):,} characters of text."
    return ToolResult(summary=summary, data=data, shown=_shown(document, data, looking_for))


def _document(got: Got) -> Document:
    kind = got.media_type
    if kind.startswith(_WITHOUT_TEXT) and kind != "image/svg+xml":
        what = f"{got.address} is of the type {kind[:80]}, which holds no text"
        raise ToolError("unsupported_type", what, hint="Take a page, a PDF or a text.")
    name = unquote(PurePosixPath(urlsplit(got.address).path).name) or urlsplit(got.address).hostname or "page"
    if not got.body.strip():
        return Document("text", name, ())
    try:
        if "html" in kind:
            return read_html(got.body, name, charset=got.charset, address=got.address)
        # A table on the web is no input of the goal: it is read as the text that it is.
        plain = f"{name}.txt" if name.casefold().endswith(_TABLES) else name
        return read_document(got.body, plain, kind, got.charset)
    except UnreadableError as error:
        hint = "Take another source, or ask for it as an input of the goal."
        raise ToolError("unsupported_type", f"{got.address}: {error.what}", hint=hint) from error


def _shown(document: Document, data: dict[str, Any], looking_for: str | None) -> dict[str, Any]:
    """What fits: the page from its start, or the passages that were looked for."""
    told = {name: data[name] for name in ("url", "title", "fetched_at", "characters")}
    told |= {name: data[name] for name in ("redirects", "notes") if data[name]}
    wanted = terms(looking_for or "")
    if not wanted or size(data["text"], ROOM) <= ROOM:
        return {**told, "text": _cut(data["text"])}
    found = _passages(document, wanted)
    if not found:
        return {
            **told,
            "looking_for": "none of these words is on the page; this is its beginning:",
            "text": _cut(data["text"]),
        }
    return {**told, "passages": found}


def _passages(document: Document, wanted: list[str]) -> list[str]:
    cut = passages(document)
    with tempfile.TemporaryDirectory() as folder:
        index = Path(folder) / "index.sqlite"
        write_index(index, [("page", cut)])
        hits = search_index(index, wanted, None, _MOST_PASSAGES).best
    shown: list[str] = []
    left = ROOM
    for hit in hits:
        left -= size(hit.passage.text, ROOM)
        if left < 0 and shown:
            break
        shown.append(hit.passage.text)
    return shown


def _cut(text: str) -> str:
    """The beginning, up to the end of a line where there is one near."""
    if size(text, ROOM) <= ROOM:
        return text
    part = text[:ROOM]
    while size(part, ROOM) > ROOM:
        part = part[: len(part) * 9 // 10]
    line = part.rfind("\n", len(part) * 3 // 4)
    return part[: line if line > 0 else len(part)] + "…"


def _empty(url: str, got: Got) -> ToolResult:
    summary = (
        f"{got.address[:200]} has no text: it may be made by scripts in a browser, or be empty. Look for a print or "
        "text version of it, or take another source."
    )
    return ToolResult(summary=summary, data={"url": got.address, "asked_for": url, "text": ""}, empty=True)
