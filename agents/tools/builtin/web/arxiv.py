"""The tool `arxiv.search`: papers on arXiv by words, author, category and date, or by their ids."""

import re
from datetime import date
from typing import Annotated, Any, Literal
from urllib.parse import urlencode, urlsplit

from pydantic import Field

from agents.errors import ToolError
from agents.tools.builtin.web.atom import Feed, FeedError, Paper, QueryError, read_feed
from agents.tools.builtin.web.getting import get
from agents.tools.builtin.web.reach import Reach
from agents.tools.function import ToolContext, ToolResult, tool

ENDPOINT = "https://export.arxiv.org/api/query"
_SECONDS = 30.0
_FIELDS = re.compile(r"\b(?:ti|au|abs|co|jr|cat|rn|id|all|submittedDate):")
_WORD = re.compile(r"\"[^\"]+\"|[^\s\"()]+")
_ID = r"^(?:arXiv:)?(?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?$"
_SORTS = {"relevance": "relevance", "newest": "submittedDate", "updated": "lastUpdatedDate"}
_MOST_AUTHORS = 6
_SUMMARY = 500


@tool(
    "arxiv.search",
    effect="read",
    use_when="scientific papers on a subject, by an author, or with known ids are wanted",
    not_when="the question is not one of research, or the paper is known and only its text is wanted",
    seconds=_SECONDS + 10.0,
    isolated=True,
)
def search(
    context: ToolContext,
    *,
    query: Annotated[
        str,
        Field(
            max_length=400,
            description='English words that the paper has, "quotes" keep words together; arXiv\'s own fields work too.',
            examples=['"retrieval augmented" generation', "ti:transformer AND abs:protein"],
        ),
    ] = "",
    author: Annotated[str | None, Field(max_length=100, description="Name of an author.", examples=["Vaswani"])] = None,
    category: Annotated[
        str | None, Field(pattern=r"^[a-z-]+(\.[A-Za-z-]+)?$", description="arXiv's category.", examples=["cs.CL"])
    ] = None,
    since: Annotated[date | None, Field(description="Submitted on this day or later.")] = None,
    until: Annotated[date | None, Field(description="Submitted on this day or earlier.")] = None,
    ids: Annotated[
        tuple[Annotated[str, Field(pattern=_ID)], ...],
        Field(max_length=20, description="Papers by their ids, instead.", examples=[["1706.03762"]]),
    ] = (),
    sort: Annotated[Literal["relevance", "newest", "updated"], Field(description="What comes first.")] = "relevance",
    limit: Annotated[int, Field(ge=1, le=50, description="How many at most.")] = 5,
    offset: Annotated[int, Field(ge=0, le=5_000, description="How many to skip.")] = 0,
) -> ToolResult:
    """Search arXiv and return papers with abstracts, dates and addresses."""
    parameters: dict[str, str | int] = {"start": offset, "max_results": limit, "sortBy": _SORTS[sort]}
    parameters["sortOrder"] = "descending"
    if ids:
        parameters["id_list"] = ",".join(one.removeprefix("arXiv:") for one in ids)
        parameters["max_results"] = max(limit, len(ids))
    else:
        parameters["search_query"] = _expression(query, author, category, since, until)
    feed = _asked(context, parameters)
    if not feed.papers:
        return _nothing(parameters, feed)
    return _found(parameters, feed, offset)


def _expression(query: str, author: str | None, category: str | None, since: date | None, until: date | None) -> str:
    """What is asked for in arXiv's language."""
    parts: list[str] = []
    if _FIELDS.search(query):
        parts.append(f"({query.strip()})")
    else:
        parts += (f"all:{word}" for word in _WORD.findall(query) if any(map(str.isalnum, word)))
    if author and author.strip():
        parts.append(f'au:"{" ".join(author.replace(chr(34), " ").split())}"')
    if category:
        parts.append(f"cat:{category}")
    if since or until:
        first, last = since or date(1991, 1, 1), until or date(2100, 1, 1)
        if first > last:
            raise ToolError("invalid_arguments", f"{first} lies behind {last}", hint="Swap `since` and `until`.")
        parts.append(f"submittedDate:[{first:%Y%m%d}0000 TO {last:%Y%m%d}2359]")
    if not parts:
        raise ToolError(
            "invalid_arguments", "nothing is asked for", hint="Give `query`, `author`, `category` or `ids`."
        )
    return " AND ".join(parts)


def _asked(context: ToolContext, parameters: dict[str, str | int]) -> Feed:
    endpoint = context.setting("arxiv_url") or ENDPOINT
    # The operator set the endpoint: it may be reached wherever it is.
    reach = Reach(hosts=frozenset({(urlsplit(endpoint).hostname or "").casefold()}))
    joint = "&" if "?" in endpoint else "?"
    got = get(f"{endpoint}{joint}{urlencode(parameters)}", reach, context.deadline.sooner(_SECONDS))
    try:
        return read_feed(got.body)
    except QueryError as error:
        hint = "Use plain words, or fields like ti:word AND au:name."
        raise ToolError("invalid_query", f"arXiv does not understand the query: {error}", hint=hint) from error
    except FeedError as error:
        hint = "Try once more, then go on without arXiv."
        raise ToolError("unreachable", f"{urlsplit(endpoint).hostname}: {error}", retryable=True, hint=hint) from error


def _found(parameters: dict[str, str | int], feed: Feed, offset: int) -> ToolResult:
    papers = [_told(paper) for paper in feed.papers]
    following = offset + len(papers)
    data = {
        "query": parameters.get("search_query") or parameters.get("id_list"),
        "total": feed.total,
        "papers": papers,
        "next_offset": following if following < feed.total else None,
    }
    shown = {"total": feed.total, "papers": [_shown(paper) for paper in papers]}
    ids = ", ".join(str(paper["id"]) for paper in papers[:8])
    return ToolResult(summary=f"{len(papers)} of {feed.total:,} papers: {ids}.", data=data, shown=shown)


def _told(paper: Paper) -> dict[str, Any]:
    told: dict[str, Any] = {
        "id": paper.id,
        "version": paper.version,
        "title": paper.title,
        "authors": list(paper.authors),
        "published": paper.published,
        "updated": paper.updated,
        "categories": list(paper.categories),
        "summary": paper.summary,
        "url": paper.url,
        "pdf": paper.pdf,
    }
    more = {"doi": paper.doi, "journal": paper.journal, "comment": paper.comment}
    return told | {name: value for name, value in more.items() if value}


def _shown(paper: dict[str, Any]) -> dict[str, Any]:
    authors, summary = paper["authors"], paper["summary"]
    others = [f"and {len(authors) - _MOST_AUTHORS} others"] if len(authors) > _MOST_AUTHORS else []
    return {
        "id": paper["id"],
        "title": paper["title"],
        "authors": authors[:_MOST_AUTHORS] + others,
        "published": paper["published"],
        "summary": summary if len(summary) <= _SUMMARY else summary[: _SUMMARY - 1] + "…",
        "pdf": paper["pdf"],
    }


def _nothing(parameters: dict[str, str | int], feed: Feed) -> ToolResult:
    if feed.total:
        summary = f"There are {feed.total:,} papers, none behind offset {parameters['start']}: use a smaller one."
    elif "id_list" in parameters:
        summary = "arXiv has no paper with these ids: check them, or search by title."
    else:
        summary = (
            "arXiv has no paper with all of these words. Use fewer or more general ones, in English; leave out the "
            "author, the category or the dates; or look elsewhere."
        )
    asked = parameters.get("search_query") or parameters.get("id_list")
    return ToolResult(summary=summary, data={"query": asked, "total": feed.total, "papers": []}, empty=True)
