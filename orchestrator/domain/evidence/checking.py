"""Checks that every figure and quote of a report stands in the observation it cites, and that its sums come out."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import MappingProxyType

from orchestrator.domain.evidence import mending
from orchestrator.domain.evidence.calculation import Calculation, calculations, shares
from orchestrator.domain.evidence.citations import Refs, Report, report
from orchestrator.domain.evidence.fault import Fault, FaultKind
from orchestrator.domain.evidence.figures import Figure, Scan, scan
from orchestrator.domain.evidence.inclusion import LEFT_OVER
from orchestrator.domain.evidence.named import name_faults
from orchestrator.domain.evidence.numerals import Mark, convention, under
from orchestrator.domain.evidence.quotes import Quote, quotes, says
from orchestrator.domain.evidence.sources import Sources
from orchestrator.domain.evidence.support import has_size, is_exact, is_supported
from orchestrator.domain.evidence.totals import Total, totals
from orchestrator.domain.evidence.tying import untied
from orchestrator.domain.evidence.wording import in_place_column, wording


def check(
    text: str, contents: Mapping[str, object], *, given: str = "", texts: Mapping[str, str] = MappingProxyType({})
) -> tuple[Fault, ...]:
    """What is wrong with a report, in the order of its lines; nothing: every figure has its source.

    `contents` holds the data of the observations by number (`E4.2`; a file that one made as `E4.2/table.md`), each a
    JSON value or an `Index` of one. `given` is text that needs no citation: the goal, its parameters, file names.
    `texts` are what tools wrote (`E4.2/report.md`): their lines may be taken over, and must not be changed.
    """
    page = _read(text)
    sources = Sources(contents, given)
    checking = _Checking(page, sources)
    faults = [*_citation_faults(page, sources), *checking.figure_faults(), *checking.quote_faults()]
    faults += name_faults(page.report, page.scan, sources, checking.in_quote)
    faults += checking.untied_faults(faults, texts)
    return tuple(sorted(faults, key=lambda fault: fault.line))


def check_totals(text: str) -> tuple[Fault, ...]:
    """The total rows of a report's tables that are not the sum of their rows; `check` finds them too."""
    page = _read(text)
    return tuple(page.total_fault(total) for total in totals(page.report, page.figures) if not total.holds())


@dataclass(frozen=True, slots=True)
class _Page:
    report: Report
    scan: Scan
    figures: tuple[Figure, ...]

    def written(self, figure: Figure) -> str:
        return self.report.text[figure.start : figure.end]

    def fault(self, at: int, written: str, refs: Refs, kind: FaultKind, mend: str) -> Fault:
        return Fault(line=self.report.line(at), written=written, citations=refs, kind=kind, mend=mend)

    def total_fault(self, total: Total) -> Fault:
        written = self.written(total.result)
        mend = mending.wrong_total(written, next(total.outcomes()), total.result)
        refs = self.report.governing(total.result.start)
        return self.fault(total.result.start, written, refs, "wrong_sum", mend)

    def calculation_fault(self, found: Calculation) -> Fault:
        written, result = self.written(found.result), found.result
        said = self.report.text[found.operands[0].start : found.operands[-1].end]
        outcome = next(found.outcomes(), None)
        shown: Fraction | None = None if outcome is None else found.shown(outcome)
        mend = mending.wrong_calculation(said, written, shown, result)
        return self.fault(result.start, written, self.report.governing(result.start), "wrong_sum", mend)


def _read(text: str) -> _Page:
    page = report(text)
    read = scan(text, [block.ordinal for block in page.blocks if block.ordinal])
    marks: frozenset[Mark] = frozenset(figure.readings[0].mark for figure in read.figures if len(figure.readings) == 1)
    mark = convention(marks)
    figures = tuple(
        replace(figure, readings=under(figure.readings, mark)) if len(figure.readings) > 1 else figure
        for figure in read.figures
        if page.block(figure.start) is not None
    )
    return _Page(page, read, figures)


def _citation_faults(page: _Page, sources: Sources) -> Iterator[Fault]:
    for groups in page.report.groups:
        for group in groups:
            for ref in group.refs:
                if not sources.known((ref,)):
                    mend = mending.unknown_citation(ref, sources.names())
                    yield page.fault(group.start, f"[{ref}]", (ref,), "unknown_citation", mend)
    for match in LEFT_OVER.finditer(page.report.text):
        mend = mending.left_include(match[0])
        yield page.fault(match.start(), match[0], (match["ref"],), "unknown_citation", mend)


@dataclass(slots=True)
class _Checking:
    page: _Page
    sources: Sources
    quoted: list[Quote] = field(default_factory=list[Quote])
    holding: set[int] = field(default_factory=set[int])
    """Where the results of calculations stand that hold: they need not stand in the evidence."""

    def __post_init__(self) -> None:
        self.quoted = sorted(quotes(self.page.report))

    def in_quote(self, at: int) -> bool:
        """True inside a quote, which is checked as a whole."""
        number = bisect_right(self.quoted, at, key=lambda quote: quote.start) - 1
        return number >= 0 and at < self.quoted[number].end

    def figure_faults(self) -> Sequence[Fault]:
        """The faults of figures, calculations and totals; one a figure."""
        faults: dict[int, Fault] = {}
        for figure in self.page.figures:
            if not self.in_quote(figure.start) and (fault := self._figure_fault(figure)):
                faults[figure.start] = fault
        for found in self._calculations():
            self._excuse(found, faults)
            terms = (figure.start for figure in found.operands)
            self.holding |= {found.result.start} if found.holds() else set()
            _settle(faults, terms, found.result, None if found.holds() else self.page.calculation_fault(found))
        for total in totals(self.page.report, self.page.figures):
            terms = (figure.start for figure in total.terms())
            holds = total.holds() or (total.result.start not in faults and total.is_rounded())
            self.holding |= {total.result.start} if holds else set()
            _settle(faults, terms, total.result, None if holds else self.page.total_fault(total))
        for share in self._shares():
            # A share of a wrong count is wrong with it: one fault says enough.
            if share.holds() or any(operand.start in faults for operand in share.operands):
                _settle(faults, (), share.result, None)
        return list(faults.values())

    def _excuse(self, found: Calculation, faults: dict[int, Fault]) -> None:
        """A calculation's constants need no source; and as its signs are its own, the size of an operand is enough."""
        free = found.constants()
        for position, operand in enumerate(found.operands):
            fault = faults.get(operand.start)
            known = self.sources.known(fault.citations) if fault and fault.kind == "not_found" else ()
            if position in free or (known and has_size(operand, self.sources.index(known))):
                faults.pop(operand.start, None)

    def untied_faults(self, found: Sequence[Fault], texts: Mapping[str, str]) -> Iterator[Fault]:
        """The faults of what stands in the evidence, but not where it should; a line that has a fault has enough."""
        faulty = {fault.line for fault in found}
        page = self.page
        for one in untied(page.report, page.scan, page.figures, self.sources, texts):
            outcome = one.start in self.holding
            if not outcome and page.report.line(one.start) not in faulty and not self.in_quote(one.start):
                written = page.report.text[one.start : one.end]
                yield page.fault(one.start, written, one.refs, "not_found", one.mend)

    def quote_faults(self) -> Iterator[Fault]:
        """The faults of quotes."""
        for quote in self.quoted:
            if says(self.sources.given, quote.words):
                continue
            refs = self.page.report.governing(quote.start)
            known = self.sources.known(refs)
            if not refs:
                having = [ref for ref in self.sources.names() if says(self.sources.index((ref,)), quote.words)]
                mend = mending.uncited("The quote", having)
                yield self.page.fault(quote.start, quote.words, refs, "uncited", mend)
            elif known and not says(self.sources.index(known), quote.words):
                mend = mending.misquoted(quote.words, known)
                yield self.page.fault(quote.start, quote.words, refs, "quote", mend)

    def _figure_fault(self, figure: Figure) -> Fault | None:
        if is_exact(figure, self.sources.given):
            return None
        refs = self.page.report.governing(figure.start)
        known = self.sources.known(refs)
        written = self.page.written(figure)
        if self._is_head_year(figure):
            return None
        if not refs:
            mend = mending.uncited(written, list(self.sources.having(figure)))
            return self.page.fault(figure.start, written, refs, "uncited", mend)
        if not known or self._has(figure, known):
            return None
        index = self.sources.index(known)
        mend = mending.not_found(written, known, list(self.sources.having(figure)), figure, index)
        return self.page.fault(figure.start, written, refs, "not_found", mend)

    def _has(self, figure: Figure, known: Refs) -> bool:
        index = self.sources.index(known)
        if is_exact(figure, index):
            return True
        if figure.readings[0].value in index.places and in_place_column(self.page.report, figure.start):
            return True
        return is_supported(figure, index, wording(self.page.report, figure))

    def _is_head_year(self, figure: Figure) -> bool:
        """A year of the evidence in the head of a table, or in a heading."""
        number = self.page.report.block(figure.start)
        kind = self.page.report.blocks[number].kind if number is not None else "text"
        value = figure.readings[0].value
        return kind in ("header", "heading") and len(figure.run) == 4 and self.sources.has_year(int(value))

    def _calculations(self) -> Iterator[Calculation]:
        for start, end, figures in self._stretches():
            yield from calculations(self.page.scan.rest, figures, start, end)

    def _shares(self) -> Iterator[Calculation]:
        for _, _, figures in self._stretches():
            yield from shares(self.page.scan.rest, figures)

    def _stretches(self) -> Iterator[tuple[int, int, Sequence[Figure]]]:
        """Each block, or cell of a row, with its figures."""
        figures = self.page.figures
        at = [figure.start for figure in figures]
        for block in self.page.report.blocks:
            for start, end in block.cells or ((block.start, block.end),):
                first, last = bisect_left(at, start), bisect_left(at, end)
                if last - first > 1:
                    yield start, end, figures[first:last]


def _settle(
    faults: dict[int, Fault], terms: Iterator[int] | tuple[int, ...], result: Figure, wrong: Fault | None
) -> None:
    """What a calculation says of its result counts more than whether the evidence has it. While its terms are at
    fault nothing is said of the result: mending them may mend it."""
    at = result.start
    if at in faults and faults[at].kind == "not_found":
        del faults[at]
    if wrong and not any(term in faults for term in terms):
        faults[at] = wrong
