"""A verdict needs two independent pages that say what is quoted; where they disagree, a person is asked."""

from collections.abc import Mapping
from typing import Any

import pytest

from agents.errors import ToolError
from agents.teams.factcheck.sources import arxiv_id
from agents.teams.factcheck.tools import numbers, verdict
from agents.tools.function import Ask, ToolResult
from agents.tools.local_context import LocalContext

CLAIM = "Halmora reaches an exact match of 87.3 % on LakeQA"
ORIGINAL = "Halmora is a method for questions about lakes. On LakeQA it reaches an exact match of 87.3 % in all runs."
TABLE = "Four methods, measured again.\n\n| Method | LakeQA |\n| --- | --- |\n| OldMora | 79.9 % |\n| Halmora | {} |\n"
QUOTE = "On LakeQA it reaches an exact match of 87.3 %"


def page(text: str, url: str) -> dict[str, Any]:
    """What `web.fetch` leaves of a page."""
    return {"url": url, "title": url.rpartition("/")[2], "text": text}


def search(*papers: tuple[str, ...]) -> dict[str, Any]:
    """What `arxiv.search` leaves of papers, each given as its id and its authors."""
    return {"papers": [{"id": paper, "authors": list(authors)} for paper, *authors in papers]}


def context(again: str = "87.3 %", more: Mapping[str, Any] | None = None) -> LocalContext:
    """The search under E1.1, the original paper under E2.1, a paper by others under E2.2, and what else is given."""
    pages = {
        "E1.1": search(("3001.00001", "Ada Holm", "Bo Juhl"), ("3001.00002", "Cleo Katz")),
        "E2.1": page(ORIGINAL, "https://arxiv.org/pdf/3001.00001v1"),
        "E2.2": page(TABLE.format(again), "https://arxiv.org/pdf/3001.00002v1"),
    }
    return LocalContext(observations={**pages, **(more or {})})


def source(ref: str = "E2.1", quote: str = QUOTE, figure: str | None = "87.3 %", **more: Any) -> dict[str, Any]:
    """One source as the agent gives it."""
    return {"ref": ref, "quote": quote, "figure": figure, **more}


def again(figure: str = "87.3 %", ref: str = "E2.2") -> dict[str, Any]:
    """The second source."""
    return source(ref, f"| Halmora | {figure} |", figure)


def judged(*sources: dict[str, Any], at: LocalContext, **more: Any) -> ToolResult | Ask:
    """Call the tool as the toolbox does."""
    given = {"claim": CLAIM, "figure": "87.3 %", "sources": list(sources), "found": ["E1.1"], **more}
    return verdict.run(verdict.arguments.model_validate(given), at)


def test_supported() -> None:
    """Two pages by different people have the figure."""
    result = judged(source(), again(), at=context())
    assert isinstance(result, ToolResult)
    assert result.summary == "The claim is supported by 2 independent sources (E2.1, E2.2)."
    assert (result.data["verdict"], result.data["independent"]) == ("supported", 2)
    assert [one["stance"] for one in result.data["sources"]] == ["supports", "supports"]


def test_refuted() -> None:
    """Both have another figure than is claimed."""
    claim = CLAIM.replace("87.3", "78.3")
    result = judged(source(), again(), at=context(), claim=claim, figure="78.3 %")
    assert isinstance(result, ToolResult)
    assert result.data["verdict"] == "refuted"


def test_sources_that_disagree() -> None:
    """A person is asked, with what each of them says."""
    result = judged(source(), again("84.9 %"), at=context("84.9 %"))
    assert isinstance(result, Ask)
    draft = result.draft
    assert draft.question == f"Sources disagree about the claim “{CLAIM}”. Which verdict holds?"
    assert (draft.about, draft.evidence) == ("sources disagree", ("E2.1", "E2.2"))
    assert [choice.value for choice in draft.choices] == ["supported", "refuted", "unknown"]
    assert draft.tried.splitlines()[1:] == [
        f"- 3001.00001v1 supports it with 87.3 %: “{QUOTE}” (https://arxiv.org/pdf/3001.00001v1) [E2.1]",
        "- 3001.00002v1 contradicts it with 84.9 %: “| Halmora | 84.9 % |” (https://arxiv.org/pdf/3001.00002v1) [E2.2]",
    ]


def test_a_claim_without_a_figure() -> None:
    """Then the agent says which way a quote goes."""
    words = {"claim": "Halmora is a method for questions about lakes.", "figure": None}
    about = source(quote="Halmora is a method for questions about lakes", figure=None, stance="supports")
    other = source("E2.2", "Four methods, measured again", None, stance="supports")
    result = judged(about, other, at=context(), **words)
    assert isinstance(result, ToolResult)
    assert result.data["verdict"] == "supported"


@pytest.mark.parametrize(
    ("url", "text", "why"),
    [
        (
            "https://arxiv.org/pdf/3001.00001v2.pdf",
            "Another version with 87.3 % on LakeQA inside.",
            "is the same work as",
        ),
        ("https://www.arxiv.org/abs/3001.00001", "The abstract, and 87.3 % on LakeQA.", "is the same work as"),
        ("https://ar5iv.labs.arxiv.org/html/3001.00001", "In HTML, 87.3 % on LakeQA.", "is the same work as"),
        ("https://doi.org/10.48550/arXiv.3001.00001", "By its DOI, 87.3 % on LakeQA.", "is the same work as"),
        ("https://elsewhere.org/copy", ORIGINAL, "is a copy of"),
        ("https://elsewhere.org/copy", f"{ORIGINAL} (mirrored)", "is a copy of"),
        ("https://arxiv.org/abs/3001.00003", "A year later, 87.3 % on LakeQA.", "is by the same people (Bo Juhl) as"),
    ],
)
def test_what_is_no_source_of_its_own(url: str, text: str, why: str) -> None:
    """Another version, another address, a mirrored text, another paper by one of the same people; it is said which."""
    later = search(("3001.00003", "Dag Moreau", "Bo  Juhl"))
    at = context(more={"E1.2": later, "E2.3": page(text, url)})
    quote = "87.3 % on LakeQA" if "87.3 % on LakeQA" in text else QUOTE
    with pytest.raises(ToolError) as caught:
        judged(source(), source("E2.3", quote), at=at, found=["E1.1", "E1.2"])
    assert caught.value.code == "too_few_sources"
    assert caught.value.what == f"there is 1 independent source, and 2 are needed: E2.3 {why} E2.1"


def test_the_same_title_elsewhere() -> None:
    """A journal's page of the paper is the paper, whatever else stands on it."""
    first = {**page(ORIGINAL, "https://a.org/1"), "title": "Halmora: questions about lakes"}
    other = {**page("Volume 4. 87.3 % on LakeQA.", "https://b.org/2"), "title": "[PDF] Halmora - Questions About Lakes"}
    at = context(more={"E2.3": first, "E2.4": other})
    with pytest.raises(ToolError, match=r"E2\.4 has the title of E2\.3"):
        judged(source("E2.3"), source("E2.4", "87.3 % on LakeQA"), at=at)


def test_one_page_quoted_twice() -> None:
    """It is one source, however often it is given."""
    with pytest.raises(ToolError, match="there is 1 independent source, and 2 are needed"):
        judged(source(), source(), at=context())


def test_who_wrote_it_has_to_be_known() -> None:
    """Without the search that lists a paper nobody knows whether it is by others."""
    with pytest.raises(ToolError) as caught:
        judged(source(), again(), at=context(), found=[])
    assert caught.value.code == "authors_unknown"
    assert caught.value.what == "it is not known who wrote E2.1 (3001.00001), E2.2 (3001.00002)"
    with pytest.raises(ToolError, match=r"E2\.1 is no search of arXiv"):
        judged(source(), again(), at=context(), found=["E2.1"])


@pytest.mark.parametrize(
    ("url", "paper"),
    [
        ("https://arxiv.org/abs/hep-th/9901001v3", "hep-th/9901001"),
        ("https://arxiv.org/pdf/math.GT/0309136", "math.GT/0309136"),
        ("https://huggingface.co/papers/1706.03762", "1706.03762"),
        ("https://news.example.org/article/1234567", None),
        ("https://example.org/v2/report.html", None),
    ],
)
def test_the_id_of_a_paper(url: str, paper: str | None) -> None:
    """Old and new ids, on any host; a number in another address is none."""
    assert arxiv_id(url) == paper


def test_copies_say_nothing_more() -> None:
    """A copy beside two independent pages is left out."""
    at = context(more={"E2.3": page(ORIGINAL, "https://elsewhere.org/copy")})
    result = judged(source(), again(), source("E2.3"), at=at)
    assert isinstance(result, ToolResult)
    assert [one["ref"] for one in result.data["sources"]] == ["E2.1", "E2.2"]


@pytest.mark.parametrize(
    ("given", "code", "hint"),
    [
        ({"sources": [source("E9.1")]}, "unknown_evidence", "There are: E1.1, E2.1, E2.2."),
        ({"sources": [source(quote="On LakeQA it reaches 87.3 %")]}, "misquoted", f"The page says: {ORIGINAL}"),
        ({"sources": [source(figure=None)]}, "invalid_arguments", "Give `figure` as it stands in the quote."),
        ({"sources": [source(figure="87.4 %")]}, "invalid_arguments", "Copy it from the quote."),
        ({"sources": [source(figure="7.3 %")]}, "invalid_arguments", "Copy it from the quote."),
        ({"figure": "7.3 %"}, "invalid_arguments", "Copy the one figure from the claim"),
        ({"figure": "90 %"}, "invalid_arguments", "Copy the one figure from the claim"),
        ({"figure": "an exact match"}, "invalid_arguments", "Copy the one figure from the claim"),
        ({"figure": None, "sources": [source(figure=None)]}, "invalid_arguments", "Say `supports` or `contradicts`."),
    ],
)
def test_what_is_not_taken(given: dict[str, Any], code: str, hint: str) -> None:
    """Each error says how to mend the call."""
    arguments = {"claim": CLAIM, "figure": "87.3 %", "sources": [source()], **given}
    with pytest.raises(ToolError) as caught:
        verdict.run(verdict.arguments.model_validate(arguments), context())
    assert caught.value.code == code
    assert (caught.value.mend or "").startswith(hint)


def test_the_nearest_passage_of_a_long_line() -> None:
    """It is found inside a page of one line, and not in a line of one word."""
    filling = "The weather over the lakes was mild and nobody wrote it down. " * 40
    at = context(more={"E2.3": page(f"reaches\n{filling}{ORIGINAL} {filling}", "https://elsewhere.org/long")})
    with pytest.raises(ToolError) as caught:
        judged(source("E2.3", "On LakeQA it reached an exact match of 87.3 %"), at=at)
    assert caught.value.code == "misquoted"
    assert QUOTE in (caught.value.mend or "")
    assert len(caught.value.mend or "") < 400


def test_what_is_no_page() -> None:
    """An observation of something else is no source."""
    at = context(more={"E2.3": {"papers": []}, "E2.4": ["list"], "E2.5": page(" ", "https://a.org")})
    for ref in ("E2.3", "E2.4", "E2.5"):
        with pytest.raises(ToolError, match=f"{ref} is no page that was fetched"):
            judged(source(ref), at=at)


def test_numbers_of_a_page() -> None:
    """Those with most of the words around them come first; nothing near is said as such."""
    result = numbers.function(context(), "E2.2", ("Halmora", "LakeQA"))
    assert isinstance(result, ToolResult)
    assert result.data["figures"][0] == {
        "figure": "87.3 %",
        "value": result.data["figures"][0]["value"],
        "percent": True,
        "quote": "| Halmora | 87.3 % |",
        "column": "LakeQA",
        "row": "Halmora",
        "words": 2,
    }
    nothing = numbers.function(context(), "E2.2", ("Fernwood",))
    assert isinstance(nothing, ToolResult)
    assert (nothing.empty, nothing.data["figures"]) == (True, [])
    assert "Try other words" in nothing.summary
