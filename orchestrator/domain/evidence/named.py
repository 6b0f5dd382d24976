"""Checks that the codes, dates, years and row numbers of a report stand in the evidence or in what was given.

Not checked, for they are the report's own or nobody's: numbers of sections, tables, steps and standards, times of day,
ordinals, versions, and codes with no three digits in a row (`Q4`, `UTF-8`).
"""

import re
from collections.abc import Callable, Iterator

from orchestrator.domain.evidence import mending
from orchestrator.domain.evidence.citations import Refs, Report
from orchestrator.domain.evidence.fault import Fault
from orchestrator.domain.evidence.figures import Scan
from orchestrator.domain.evidence.names import Name
from orchestrator.domain.evidence.sources import Sources

_CHECKED = re.compile(r"\d{3}")
_PLACES = re.compile(r"[A-Za-z]\d+(?:[-./][A-Za-z]?\d+)*")
"""`L112-R105`: letters that stand before row numbers."""


def name_faults(report: Report, scan: Scan, sources: Sources, skipped: Callable[[int], bool]) -> Iterator[Fault]:
    """The names that stand nowhere."""
    for moment in scan.moments:
        if not skipped(moment.start) and not sources.has_day(moment.days):
            yield _fault(report, moment.start, moment.written, ())
    for name in scan.names:
        if skipped(name.start) or report.block(name.start) is None:
            continue
        refs = sources.known(report.governing(name.start))
        if not _stands(name, refs, sources):
            yield _fault(report, name.start, name.written, refs if name.kind == "place" else ())


def _stands(name: Name, refs: Refs, sources: Sources) -> bool:
    if name.kind == "year":
        return all(sources.has_year(year) for year in name.numbers if 1900 <= year < 2100)
    if name.kind == "place":
        return not refs or sources.has_numbers(name.numbers, (sources.given, sources.index(refs)))
    if not _CHECKED.search(name.written) or sources.has_code(name):
        return True
    return bool(_PLACES.fullmatch(name.written)) and sources.has_numbers(name.numbers, sources.all())


def _fault(report: Report, at: int, written: str, refs: Refs) -> Fault:
    mend = mending.unknown_name(written, refs)
    return Fault(line=report.line(at), written=written, citations=refs, kind="not_found", mend=mend)
