"""Reads the Atom feed that arXiv answers with."""

from dataclasses import dataclass
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

_ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV = "{http://arxiv.org/schemas/atom}"
_SEARCH = "{http://a9.com/-/spec/opensearch/1.1/}"
_ERRORS = "/api/errors"


class FeedError(Exception):
    """What was sent is no feed of arXiv's."""


class QueryError(Exception):
    """arXiv did not understand the query; the message is its own."""


@dataclass(frozen=True, slots=True)
class Paper:
    """One entry of the feed."""

    id: str
    """`2401.01234`, without the version."""
    version: str
    title: str
    authors: tuple[str, ...]
    published: str
    updated: str
    summary: str
    categories: tuple[str, ...]
    doi: str
    journal: str
    comment: str
    url: str
    pdf: str


@dataclass(frozen=True, slots=True)
class Feed:
    """The entries of one answer, and how many there are in all."""

    total: int
    papers: tuple[Paper, ...]


def read_feed(body: bytes) -> Feed:
    """The feed in an answer. Raises FeedError, QueryError."""
    try:
        root = fromstring(body, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError, LookupError) as error:
        raise FeedError("the answer is no feed") from error
    if root.tag != f"{_ATOM}feed":
        raise FeedError("the answer is no Atom feed")
    entries = root.findall(f"{_ATOM}entry")
    for entry in entries:
        if _ERRORS in _text(entry, f"{_ATOM}id"):
            raise QueryError(_text(entry, f"{_ATOM}summary") or "the query is not understood")
    total = _text(root, f"{_SEARCH}totalResults")
    known = total.isascii() and total.isdigit()
    return Feed(int(total[:12]) if known else len(entries), tuple(_paper(entry) for entry in entries))


def _paper(entry: Element) -> Paper:
    address = _text(entry, f"{_ATOM}id")
    name = address.rpartition("/abs/")[2]
    plain, mark, version = name.rpartition("v")
    versioned = bool(mark) and version.isdigit()
    links = {
        link.get("title") or link.get("rel") or "": link.get("href") or "" for link in entry.findall(f"{_ATOM}link")
    }
    return Paper(
        id=plain if versioned else name,
        version=f"v{version}" if versioned else "",
        title=_text(entry, f"{_ATOM}title"),
        authors=tuple(_text(author, f"{_ATOM}name") for author in entry.findall(f"{_ATOM}author")),
        published=_text(entry, f"{_ATOM}published")[:10],
        updated=_text(entry, f"{_ATOM}updated")[:10],
        summary=_text(entry, f"{_ATOM}summary"),
        categories=tuple(one.get("term") or "" for one in entry.findall(f"{_ATOM}category")),
        doi=_text(entry, f"{_ARXIV}doi"),
        journal=_text(entry, f"{_ARXIV}journal_ref"),
        comment=_text(entry, f"{_ARXIV}comment"),
        url=links.get("alternate") or address,
        pdf=links.get("pdf", ""),
    )


def _text(element: Element, tag: str) -> str:
    return " ".join((element.findtext(tag) or "").split())
