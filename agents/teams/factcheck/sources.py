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
_VERSION = re.compile(r"v\d{1,3}(?:\.pdf)?$|\.pdf$|\.html?$")
_NEAR = 60


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
        lines = [line.strip() for line in self.text.splitlines() if line.strip()]
        near = process.extractOne(quote, lines, scorer=fuzz.partial_ratio, score_cutoff=_NEAR)
        hint = f"The nearest line is: {near[0][:300]}" if near else "Copy a sentence of the page letter by letter."
        raise ToolError("misquoted", f"{self.ref} does not say `{quote[:120]}` in these words", hint=hint)


def page_of(context: ToolContext, ref: str) -> Page:
    """The fetched page under this number. Raises ToolError."""
    data: Any = context.observed(ref)
    found = cast("Mapping[str, Any]", data) if isinstance(data, Mapping) else {}
    url, text = found.get("url"), found.get("text")
    if not isinstance(url, str) or not isinstance(text, str) or not text.strip():
        hint = "Fetch the page with web.fetch and give the number of that observation."
        raise ToolError("no_source", f"{ref} is no page that was fetched", hint=hint)
    return Page(ref, url, str(found.get("title", url)), text)


def independent(pages: Sequence[Page]) -> list[Page]:
    """One page of each group of copies: those that count as sources of their own."""
    kept: list[Page] = []
    for page in pages:
        if not any(_same(page, other) for other in kept):
            kept.append(page)
    return kept


def _same(one: Page, other: Page) -> bool:
    """The same address, another version of it, or a text that was copied."""
    if _work(one.url) == _work(other.url):
        return True
    return fuzz.ratio(one.text[:_COMPARED], other.text[:_COMPARED], score_cutoff=COPY) >= COPY


def _work(url: str) -> str:
    parts = urlsplit(url)
    host = (parts.netloc or "").casefold().removeprefix("www.")
    path = _VERSION.sub("", parts.path.rstrip("/"))
    # A paper's abstract, its PDF and its HTML are one work.
    path = re.sub(r"^/(?:abs|pdf|html|full)/", "/", path)
    return f"{host}{path}?{parts.query}"
