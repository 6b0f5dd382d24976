"""Stops figures that stand in the evidence, but not where they are said to stand: in the record of the thing
that their row names, or in the line of a tool's text that was taken over."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from orchestrator.domain.evidence import mending
from orchestrator.domain.evidence.citations import Refs, Report
from orchestrator.domain.evidence.copies import Copies
from orchestrator.domain.evidence.figures import Figure, Scan
from orchestrator.domain.evidence.records import Records, slip
from orchestrator.domain.evidence.sources import Sources
from orchestrator.domain.evidence.support import is_exact
from orchestrator.domain.evidence.units import Unit, is_rank, units


class Untied(NamedTuple):
    """A stretch of the report that does not say what its record, or its original, says."""

    start: int
    end: int
    refs: Refs
    mend: str


def untied(
    page: Report, scan: Scan, figures: tuple[Figure, ...], sources: Sources, texts: Mapping[str, str]
) -> Iterator[Untied]:
    """What does not stand where it is said to. `texts`: what tools wrote, by `E4.2/table.md`."""
    copies = Copies(texts)
    for one in copies.changed(page.folded):
        refs = (one.source.split("/", 1)[0],)
        mend = mending.changed(page.text[one.start : one.end], one.original, one.source)
        yield Untied(one.start, one.end, refs, mend)
    own = [unit for unit in units(page, scan, figures) if not _is_copy(page, unit, copies)]
    for refs, group in _by_refs(page, sources, own).items():
        wanted = frozenset(key for unit in group for key in unit.keys)
        records = Records.of(sources.contents(refs), wanted)
        for unit in group:
            yield from _of_unit(page, unit, refs, records, sources)


def _is_copy(page: Report, unit: Unit, copies: Copies) -> bool:
    number = page.block(unit.start)
    block = page.blocks[number] if number is not None else None
    return block is not None and all(copies.has(line) for line in page.folded[block.start : block.end].split("\n"))


def _by_refs(page: Report, sources: Sources, every: list[Unit]) -> Mapping[Refs, list[Unit]]:
    groups: dict[Refs, list[Unit]] = defaultdict(list)
    for unit in every:
        if known := sources.known(page.governing(unit.figures[0].start)):
            groups[known].append(unit)
    return groups


def _of_unit(page: Report, unit: Unit, refs: Refs, records: Records, sources: Sources) -> Iterator[Untied]:
    about = records.about(unit.keys)
    if not about:
        return
    for figure in unit.figures:
        if not is_rank(page, figure):
            other = slip(figure, unit.figures, about)
            if other is not None and not is_exact(figure, sources.given):
                mend = mending.not_in_record(page.text[figure.start : figure.end], refs, other, figure)
                yield Untied(figure.start, figure.end, refs, mend)
