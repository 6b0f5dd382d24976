"""The tool `documents.search`: finds passages of the run's documents by full text."""

from typing import Annotated, Any

from pydantic import Field

from agents.errors import ToolError
from agents.tools.builtin.documents.corpus import Library, library_of
from agents.tools.builtin.documents.index import Hits
from agents.tools.builtin.documents.scripts import terms
from agents.tools.builtin.documents.telling import document_of, fitting, reasons, told
from agents.tools.function import ToolContext, ToolResult, tool

_MOST_TERMS = 32


@tool(
    "documents.search",
    effect="read",
    use_when="you look for what the run's documents say about something",
    not_when="you know where it stands (read it), or the input is a table",
    seconds=120.0,
    isolated=True,
)
def search(
    context: ToolContext,
    query: Annotated[
        str,
        Field(
            min_length=1,
            max_length=400,
            description='Words to look for, in the documents\' own language; "quotes" keep words together.',
            examples=["termination notice period", "违约金 比例"],
        ),
    ],
    *,
    document: Annotated[
        str | None, Field(max_length=300, description="Name of the one document to search; left out: all.")
    ] = None,
    limit: Annotated[int, Field(ge=1, le=20, description="How many passages at most.")] = 5,
) -> ToolResult:
    """Search the run's documents by full text and return the best passages with their ids, such as `policy#3`."""
    wanted = terms(query)[:_MOST_TERMS]
    if not wanted:
        raise ToolError("invalid_arguments", "the query has no word in it", hint="Name words that the text would have.")
    library = library_of(context)
    if document is not None:
        document = document_of(library, document).name
    if not library.documents:
        return _no_documents(library)
    hits = library.search(wanted, document, limit)
    if not hits.best:
        return _nothing(library, query, document)
    data = {
        "query": query,
        "passages": [{**told(hit.document, hit.passage), "has_all_words": hit.whole} for hit in hits.best],
        "with_all_words": hits.with_all,
        "with_any_word": hits.with_any,
        "searched": [entry.name for entry in library.documents if document in (None, entry.name)],
        "not_searched": reasons(library.others) if document is None else [],
    }
    return ToolResult(summary=_found(hits), data=data, shown=_shown(data))


def _found(hits: Hits) -> str:
    ids = ", ".join(f"{hit.document}#{hit.passage.number}" for hit in hits.best)
    if hits.with_all == 0:
        return f"No passage has all the words. Passages with some of them: {hits.with_any:,}. The best: {ids}."
    return f"Passages with all the words: {hits.with_all:,}; with any of them: {hits.with_any:,}. The best: {ids}."


def _shown(data: dict[str, Any]) -> dict[str, Any]:
    shown = {"passages": fitting(data["passages"]), "with_all_words": data["with_all_words"]}
    return shown | ({"not_searched": data["not_searched"]} if data["not_searched"] else {})


def _no_documents(library: Library) -> ToolResult:
    why = "; ".join(reasons(library.others)) or "the goal has no input files"
    summary = f"There is no document to search: {why}. Use another tool, or ask for the documents."
    return ToolResult(summary=summary, data={"not_searched": reasons(library.others)}, empty=True)


def _nothing(library: Library, query: str, document: str | None) -> ToolResult:
    where = document or ", ".join(entry.name for entry in library.documents)
    similar = library.similar(query)
    words = f" Words in them that look alike: {', '.join(similar)}." if similar else ""
    summary = (
        f"Nothing in {where} has any of these words.{words} Try other words for it, or the documents' own language; "
        "documents.read shows a document's outline."
    )
    data = {"query": query, "similar_words": similar, "not_searched": reasons(library.others)}
    return ToolResult(summary=summary, data=data, empty=True)
