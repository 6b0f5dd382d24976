"""The pages that a verdict rests on, and whether two of them are independent of each other."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlsplit

from rapidfuzz import fuzz, process

from agents.errors import ToolError
from agents.tools.function import ToolContext
from orchestrator.domain.evidence.index import Index
from orchestrator.domain.evidence.quotes import says

COPY = 90.0
"""Pages whose texts are as alike as this, of 100, are copies of each other."""
_COMPARED = 8_000
_ENDING = re.compile(r"\.pdf$|\.html?$")
_ARCHIVES = (
    r"(?:astro-ph|cond-mat|gr-qc|hep-(?:ex|lat|ph|th)|nucl-(?:ex|th)|quant-ph|math-ph|math|nlin|physics|cs|q-bio)"
)
_ARXIV = re.compile(
    rf"/(?:arxiv[.:])?(\d{{4}}\.\d{{4,5}}|{_ARCHIVES}(?:\.[A-Z]{{2}})?/\d{{7}})(?:v\d{{1,3}})?(?:\.pdf|\.html?)?/?$",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"^\[[^\]]*\]")
_WORD = re.compile(r"\w+")
_TITLE = 3
"""Titles of fewer words, such as `Home`, say nothing."""
_NEAR = 60
_NAMED = 3
_SHOWN = 320
"""Characters of the passage that is nearest to a quote."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page that was fetched."""

    ref: str
    url: str
    title: str
    text: str

    def check_quote(self, quote: str) -> None:
        """Raises ToolError when the page does not say this in these words."""
        if says(Index.of(self.text), quote):
            return
        near = self._near(quote)
        hint = f"The page says: {near}" if near else "Copy a sentence of the page letter by letter."
        raise ToolError("misquoted", f"{self.ref} does not say `{quote[:120]}` in these words", hint=hint)

    def _near(self, quote: str) -> str | None:
        """The passage that is most like the quote, with a little of what stands around it."""
        # A line of a few letters would be found in any quote.
        lines = [line for line in map(str.strip, self.text.splitlines()) if 2 * len(line) >= len(quote)]
        found = process.extractOne(quote, lines, scorer=fuzz.partial_ratio, score_cutoff=_NEAR)
        if found is None:
            return None
        line = found[0]
        place = fuzz.partial_ratio_alignment(quote, line)
        if place is None or len(line) <= _SHOWN:
            return line[:_SHOWN]
        start = max(0, place.dest_start - _SHOWN // 4)
        return f"…{line[start : start + _SHOWN]}…"


def page_of(context: ToolContext, ref: str) -> Page:
    """The fetched page under this number. Raises ToolError."""
    data: Any = context.observed(ref)
    found = cast("Mapping[str, Any]", data) if isinstance(data, Mapping) else {}
    url, text = found.get("url"), found.get("text")
    if not isinstance(url, str) or not isinstance(text, str) or not text.strip():
        hint = "Fetch the page with web.fetch and give the number of that observation."
        raise ToolError("no_source", f"{ref} is no page that was fetched", hint=hint)
    return Page(ref, url, str(found.get("title", url)), text)


def authors_of(context: ToolContext, refs: Sequence[str]) -> dict[str, frozenset[str]]:
    """arXiv's id → who wrote the paper, as these searches of arXiv list it. Raises ToolError."""
    known: dict[str, frozenset[str]] = {}
    for ref in refs:
        data: Any = context.observed(ref)
        papers: Any = cast("Mapping[str, Any]", data).get("papers") if isinstance(data, Mapping) else None
        if not isinstance(papers, list):
            hint = "Give the number of an observation of arxiv.search."
            raise ToolError("no_search", f"{ref} is no search of arXiv", hint=hint)
        for paper in cast("list[Mapping[str, Any]]", papers):
            known[str(paper["id"])] = frozenset(" ".join(str(name).split()) for name in paper["authors"])
    return known


@dataclass(frozen=True, slots=True)
class Sources:
    """Pages, each of which is a source of its own; of the others is said why they are none."""

    kept: tuple[Page, ...]
    dropped: tuple[str, ...] = ()


def independent(pages: Sequence[Page], authors: Mapping[str, frozenset[str]]) -> Sources:
    """One page of each group of copies and of papers by the same people. Raises ToolError."""
    unknown = [f"{page.ref} ({paper})" for page in pages if (paper := arxiv_id(page.url)) and paper not in authors]
    if unknown:
        hint = "Give under `found` the observations of arxiv.search that list these papers, or search by their `ids`."
        raise ToolError("authors_unknown", f"it is not known who wrote {', '.join(unknown)}", hint=hint)
    kept: list[Page] = []
    dropped: list[str] = []
    for page in pages:
        reasons = (f"{page.ref} {reason} {other.ref}" for other in kept if (reason := _same(page, other, authors)))
        if reason := next(reasons, None):
            dropped.append(reason)
        else:
            kept.append(page)
    return Sources(tuple(kept), tuple(dict.fromkeys(dropped)))


def arxiv_id(url: str) -> str | None:
    """The id of the paper at an address, without its version; hosts that mirror arXiv use it too."""
    found = _ARXIV.search(urlsplit(url).path)
    return found[1] if found else None


def _same(one: Page, other: Page, authors: Mapping[str, frozenset[str]]) -> str | None:
    """How the pages depend on each other."""
    if _work(one.url) == _work(other.url):
        return "is the same work as"
    title = _title(one)
    if len(title.split()) >= _TITLE and title == _title(other):
        return "has the title of"
    if fuzz.ratio(one.text[:_COMPARED], other.text[:_COMPARED], score_cutoff=COPY) >= COPY:
        return "is a copy of"
    both = [authors.get(arxiv_id(page.url) or "", frozenset[str]()) for page in (one, other)]
    shared = sorted(both[0] & both[1])
    return f"is by the same people ({', '.join(shared[:_NAMED])}) as" if shared else None


def _title(page: Page) -> str:
    return " ".join(_WORD.findall(_BRACKETS.sub("", page.title).casefold()))


def _work(url: str) -> str:
    if paper := arxiv_id(url):
        return f"arxiv:{paper}"
    parts = urlsplit(url)
    host = (parts.netloc or "").casefold().removeprefix("www.")
    # A text's PDF and its HTML are one work.
    path = _ENDING.sub("", parts.path.rstrip("/"))
    return f"{host}{path}?{parts.query}"
