"""Searching arXiv: what is asked of it, what comes back, and what goes wrong."""

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from pydantic import ValidationError

from agents.errors import ToolError
from agents.tools.builtin.web.arxiv import search
from agents.tools.function import ToolResult
from agents.tools.local_context import LocalContext

Site = Any
"""What the fixture `site` gives: a server with pages by path."""
Search = Callable[..., ToolResult]

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/"
 xmlns:arxiv="http://arxiv.org/schemas/atom">"""
PAPER = """<entry>
<id>http://arxiv.org/abs/1706.03762v7</id>
<published>2017-06-12T17:57:34Z</published><updated>2023-08-02T00:41:18Z</updated>
<title>Attention Is All
  You Need</title>
<summary>  The dominant models reach 28.4 BLEU.
  </summary>
<author><name>Ashish Vaswani</name></author><author><name>王小明</name></author>
<arxiv:comment>15 pages, 5 figures</arxiv:comment><arxiv:doi>10.1000/x</arxiv:doi>
<link href="http://arxiv.org/abs/1706.03762v7" rel="alternate" type="text/html"/>
<link title="pdf" href="http://arxiv.org/pdf/1706.03762v7" rel="related" type="application/pdf"/>
<category term="cs.CL" scheme="http://arxiv.org/schemas/atom"/><category term="cs.LG"/>
</entry>"""
OLD = "<entry><id>http://arxiv.org/abs/hep-th/9901001v1</id><title>Old</title></entry>"
EMPTY = f"{HEAD}<opensearch:totalResults>0</opensearch:totalResults></feed>"


@pytest.fixture
def feed(site: Site) -> Callable[[str], None]:
    """Have the server answer with this feed."""

    def serve(body: str) -> None:
        site.page("/api/query", body, "application/atom+xml")

    serve(f"{HEAD}<opensearch:totalResults>1234</opensearch:totalResults>{PAPER}{OLD}</feed>")
    return serve


@pytest.fixture
def found(site: Site, feed: Callable[[str], None]) -> Search:
    """Search; the endpoint is on this machine, and nothing else is allowed."""
    del feed
    context = LocalContext(settings={"arxiv_url": site.url("/api/query")})

    def run(**arguments: Any) -> ToolResult:
        result = search.run(search.arguments(**arguments), context)
        assert isinstance(result, ToolResult)
        return result

    return run


def asked(site: Site) -> dict[str, str]:
    """The parameters of the last request."""
    return {name: values[0] for name, values in parse_qs(urlsplit(site.asked[-1][0]).query).items()}


def test_returns_papers(found: Search) -> None:
    """Everything that the feed says of them, in one line each."""
    result = found(query="attention")
    assert result.data["total"] == 1234
    assert result.data["next_offset"] == 2
    assert result.data["papers"][0] == {
        "id": "1706.03762",
        "version": "v7",
        "title": "Attention Is All You Need",
        "authors": ["Ashish Vaswani", "王小明"],
        "published": "2017-06-12",
        "updated": "2023-08-02",
        "categories": ["cs.CL", "cs.LG"],
        "summary": "The dominant models reach 28.4 BLEU.",
        "url": "http://arxiv.org/abs/1706.03762v7",
        "pdf": "http://arxiv.org/pdf/1706.03762v7",
        "doi": "10.1000/x",
        "comment": "15 pages, 5 figures",
    }
    assert result.data["papers"][1]["id"] == "hep-th/9901001"
    assert result.summary == "2 of 1,234 papers: 1706.03762, hep-th/9901001."


@pytest.mark.parametrize(
    ("arguments", "expression"),
    [
        ({"query": "graph neural networks"}, "all:graph AND all:neural AND all:networks"),
        ({"query": '"large language" (models) -'}, 'all:"large language" AND all:models'),
        ({"query": "ti:graph AND abs:protein"}, "(ti:graph AND abs:protein)"),
        ({"author": ' Ashish "V" '}, 'au:"Ashish V"'),
        ({"query": "x", "category": "cs.CL"}, "all:x AND cat:cs.CL"),
        (
            {"query": "x", "since": "2024-01-31", "until": "2024-02-01"},
            "all:x AND submittedDate:[202401310000 TO 202402012359]",
        ),
        ({"author": "A", "since": "2024-01-31"}, 'au:"A" AND submittedDate:[202401310000 TO 210001012359]'),
    ],
)
def test_asks_in_arxivs_language(found: Search, site: Site, arguments: dict[str, Any], expression: str) -> None:
    """Plain words become fields; fields stay as they are."""
    found(**arguments)
    assert asked(site)["search_query"] == expression


def test_asks_for_a_page_of_results(found: Search, site: Site) -> None:
    """In the order that was asked for."""
    found(query="x", sort="newest", limit=7, offset=14)
    assert asked(site) == {
        "search_query": "all:x",
        "start": "14",
        "max_results": "7",
        "sortBy": "submittedDate",
        "sortOrder": "descending",
    }


def test_asks_for_ids(found: Search, site: Site) -> None:
    """All of them, however few results are wanted."""
    found(ids=("arXiv:1706.03762", "hep-th/9901001v1"), limit=1)
    assert asked(site)["id_list"] == "1706.03762,hep-th/9901001v1"
    assert asked(site)["max_results"] == "2"


def test_shows_less_than_it_keeps(found: Search, feed: Callable[[str], None]) -> None:
    """Long abstracts and long lists of authors are cut in what is shown."""
    authors = "".join(f"<author><name>A{number}</name></author>" for number in range(50))
    entry = f"<entry><id>http://arxiv.org/abs/2401.00001v1</id><summary>{'word ' * 500}</summary>{authors}</entry>"
    feed(f"{HEAD}{entry}</feed>")
    result = found(query="x")
    assert result.shown["papers"][0]["authors"][-1] == "and 44 others"
    assert len(result.shown["papers"][0]["summary"]) == 500
    assert len(result.data["papers"][0]["authors"]) == 50
    assert len(result.data["papers"][0]["summary"]) == 2_499


@pytest.mark.parametrize(
    ("arguments", "body", "told"),
    [
        ({"query": "zzz"}, EMPTY, "Use fewer or more general ones"),
        ({"ids": ("2401.00001",)}, EMPTY, "no paper with these ids"),
        (
            {"query": "x", "offset": 40},
            f"{HEAD}<opensearch:totalResults>12</opensearch:totalResults></feed>",
            "There are 12 papers, none behind offset 40",
        ),
    ],
)
def test_nothing_found_says_what_to_try(
    found: Search, feed: Callable[[str], None], arguments: dict[str, Any], body: str, told: str
) -> None:
    """No paper is no error."""
    feed(body)
    result = found(**arguments)
    assert result.empty
    assert told in result.summary


@pytest.mark.parametrize(
    ("body", "code", "retryable"),
    [
        ("Rate exceeded.", "unreachable", True),
        ("<html><body>Maintenance</body></html>", "unreachable", True),
        (f"{HEAD}<entry>", "unreachable", True),
        ('<!DOCTYPE f [<!ENTITY a "x">]><feed xmlns="http://www.w3.org/2005/Atom">&a;</feed>', "unreachable", True),
        ('<?xml version="1.0" encoding="nonsense"?><feed/>', "unreachable", True),
        (
            f"{HEAD}<entry><id>http://arxiv.org/api/errors#x</id><summary>malformed query</summary></entry></feed>",
            "invalid_query",
            False,
        ),
    ],
)
def test_an_answer_that_is_no_feed(
    found: Search, feed: Callable[[str], None], body: str, code: str, retryable: bool
) -> None:
    """Text, a page, half a feed, one with entities; and arXiv's own error."""
    feed(body)
    with pytest.raises(ToolError) as caught:
        found(query="x")
    assert (caught.value.code, caught.value.retryable) == (code, retryable)


def test_asking_too_often(found: Search, site: Site) -> None:
    """Is worth a retry, after a while."""
    site.page("/api/query", "slow down", status="429", Retry_After="3")
    with pytest.raises(ToolError) as caught:
        found(query="x")
    assert (caught.value.code, caught.value.retryable) == ("http_error", True)
    assert "wait 3" in str(caught.value.mend)


@pytest.mark.parametrize(
    "arguments", [{}, {"query": " - "}, {"query": "x", "since": "2024-02-01", "until": "2024-01-01"}]
)
def test_a_question_that_asks_nothing(found: Search, arguments: dict[str, Any]) -> None:
    """Is refused before anybody is asked."""
    with pytest.raises(ToolError) as caught:
        found(**arguments)
    assert caught.value.code == "invalid_arguments"


@pytest.mark.parametrize("arguments", [{"ids": ("x",)}, {"ids": ("1706.03762&x=1",)}, {"category": "cs CL"}])
def test_arguments_that_are_none(found: Search, arguments: dict[str, Any]) -> None:
    """The schema says how ids and categories look."""
    with pytest.raises(ValidationError):
        found(**arguments)


def test_a_redirect_of_the_endpoint_reaches_no_private_address(site: Site) -> None:
    """Only the endpoint's own host is trusted."""
    site.redirect("/api/query", "http://10.0.0.1/")
    context = LocalContext(settings={"arxiv_url": site.url("/api/query")})
    with pytest.raises(ToolError) as caught:
        search.run(search.arguments(query="x"), context)
    assert caught.value.code == "address_refused"
