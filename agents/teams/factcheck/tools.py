"""The tools of the factcheck team: `factcheck.numbers` reads figures off a page, `factcheck.verdict` judges a claim."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from agents.errors import ToolError
from agents.teams.factcheck.figures import Found, agree, figures_of, has_one_figure, stands_in
from agents.teams.factcheck.sources import Page, Sources, authors_of, independent, page_of
from agents.tools.function import Ask, ToolContext, ToolResult, tool
from orchestrator.domain.finding import ObservationRef
from orchestrator.domain.record import Record
from orchestrator.domain.ticket import Choice, TicketDraft

FEWEST = 2
"""Independent sources that a verdict needs."""
_MOST_FIGURES = 12
Stance = Literal["supports", "contradicts"]


@tool(
    "factcheck.numbers",
    effect="read",
    use_when="the figures of a fetched page are wanted, each with the sentence or the row it stands in",
    not_when="the page has not been fetched, or the claim is not about a figure",
    seconds=60.0,
)
def numbers(
    context: ToolContext,
    ref: Annotated[ObservationRef, Field(description="The observation of the page.", examples=["E2.3"])],
    about: Annotated[
        tuple[str, ...],
        Field(max_length=12, description="Words the figure goes with: the method, the measure, the data."),
    ] = (),
) -> ToolResult:
    """List the figures on a fetched page, those with most of the given words around them first."""
    page = page_of(context, ref)
    counted = [(one.words(about), one) for one in figures_of(page.text)]
    found = sorted((one for one in counted if one[0] or not about), key=lambda one: -one[0])
    if not found:
        what = f"The page {page.url} has no figure" + (f" near the words {', '.join(about)}." if about else ".")
        return ToolResult(f"{what} Try other words, or another page.", {"ref": ref, "figures": []}, empty=True)
    told = [_told(one, words) for words, one in found]
    first = found[0][1]
    summary = f"{len(found)} figures on {page.title[:100]}; the first: {first.written} in `{first.sentence[:160]}`."
    shown = {"ref": ref, "url": page.url, "figures": told[:_MOST_FIGURES], "in_all": len(told)}
    return ToolResult(summary, {"ref": ref, "url": page.url, "figures": told}, shown=shown)


def _told(one: Found, words: int) -> dict[str, Any]:
    told: dict[str, Any] = {"figure": one.written, "value": one.value, "percent": one.percent, "quote": one.sentence}
    told |= {name: said for name, said in (("column", one.column), ("row", one.row)) if said}
    return {**told, "words": words}


class Source(Record):
    """What one page says about the claim: a quote, and either the figure in it or the stance it takes."""

    ref: ObservationRef = Field(description="The observation of the page.")
    quote: Annotated[str, Field(min_length=8, max_length=600, description="Letter by letter as the page says it.")]
    figure: str | None = Field(None, description="The page's figure for the same thing, as written in the quote.")
    stance: Stance | None = Field(None, description="Only where the claim has no figure.")


class Judged(Record):
    """A source with its page, and whether it bears the claim out."""

    ref: str
    url: str
    title: str
    quote: str
    figure: str | None
    stance: Stance


@tool(
    "factcheck.verdict",
    effect="read",
    use_when="at least two pages that are no copies of each other were fetched and each says something about the claim",
    not_when="fewer than two independent pages were found: then the answer is `unknown`, without this tool",
    seconds=60.0,
)
def verdict(
    context: ToolContext,
    claim: Annotated[str, Field(min_length=8, max_length=1_000, description="Word for word.")],
    sources: Annotated[tuple[Source, ...], Field(min_length=1, max_length=8)],
    found: Annotated[
        tuple[ObservationRef, ...],
        Field(max_length=8, description="The observations of arxiv.search that list these papers and who wrote them."),
    ] = (),
    *,
    figure: Annotated[
        str | None, Field(description="The figure that the claim claims, as it is written there; none: left out.")
    ] = None,
) -> ToolResult | Ask:
    """Judge a claim by what independent pages say; where they disagree, a person is asked."""
    if figure is not None and (not has_one_figure(figure) or not stands_in(figure, claim)):
        raise _wrong(f"the claim has no figure `{figure[:60]}`", "Copy the one figure from the claim, such as 87.3 %.")
    judged = [_judged(source, page_of(context, source.ref), figure) for source in sources]
    pages = [page_of(context, ref) for ref in dict.fromkeys(one.ref for one in judged)]
    counted = _counted(judged, independent(pages, authors_of(context, found)))
    if len({one.stance for one in counted}) > 1:
        return Ask(_question(claim, counted))
    said = "supported" if counted[0].stance == "supports" else "refuted"
    refs = ", ".join(dict.fromkeys(one.ref for one in counted))
    data = {
        "claim": claim,
        "verdict": said,
        "independent": len({one.ref for one in counted}),
        "sources": [one.model_dump() for one in counted],
    }
    return ToolResult(f"The claim is {said} by {data['independent']} independent sources ({refs}).", data)


def _judged(source: Source, page: Page, claimed: str | None) -> Judged:
    page.check_quote(source.quote)
    stance = _stance(source, claimed)
    return Judged(
        ref=source.ref, url=page.url, title=page.title, quote=source.quote, figure=source.figure, stance=stance
    )


def _stance(source: Source, claimed: str | None) -> Stance:
    """Figures are compared by code; only of words the agent says what they mean."""
    if claimed is None:
        if source.stance is None:
            raise _wrong(f"{source.ref}: neither figure nor stance is given", "Say `supports` or `contradicts`.")
        return source.stance
    if source.figure is None:
        raise _wrong(f"{source.ref}: the page's figure is missing", "Give `figure` as it stands in the quote.")
    if not has_one_figure(source.figure) or not stands_in(source.figure, source.quote):
        raise _wrong(f"{source.ref}: `{source.figure[:60]}` does not stand in the quote", "Copy it from the quote.")
    return "supports" if agree(claimed, source.figure) else "contradicts"


def _counted(judged: Sequence[Judged], sources: Sources) -> list[Judged]:
    """What the independent pages say; copies say nothing more. Raises ToolError when there are too few."""
    if len(sources.kept) < FEWEST:
        why = f": {'; '.join(sources.dropped)}" if sources.dropped else ""
        what = f"there is {len(sources.kept)} independent source, and {FEWEST} are needed{why}"
        hint = "Fetch a page by others that is no copy of these; if there is none, answer `unknown`."
        raise ToolError("too_few_sources", what, hint=hint)
    refs = {page.ref for page in sources.kept}
    return [one for one in judged if one.ref in refs]


def _question(claim: str, counted: Sequence[Judged]) -> TicketDraft:
    said = "\n".join(_said(one) for one in counted)
    return TicketDraft(
        question=f"Sources disagree about the claim “{claim.strip('“” .')}”. Which verdict holds?",
        tried=f"Independent sources that were read:\n{said}",
        evidence=tuple(dict.fromkeys(one.ref for one in counted)),
        choices=(
            Choice(value="supported", label="The claim is supported"),
            Choice(value="refuted", label="The claim is refuted"),
            Choice(value="unknown", label="It cannot be decided"),
        ),
        about="sources disagree",
    )


def _said(one: Judged) -> str:
    figure = f" with {one.figure}" if one.figure else ""
    quote = " ".join(one.quote.split())  # a row of a table is padded
    return f"- {one.title} {one.stance} it{figure}: “{quote}” ({one.url}) [{one.ref}]"


def _wrong(what: str, hint: str) -> ToolError:
    return ToolError("invalid_arguments", what, hint=hint)
