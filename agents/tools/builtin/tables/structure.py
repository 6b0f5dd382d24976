"""Sorts the records of a file into header, data rows and what is left out, each with its reason."""

from collections.abc import Sequence
from dataclasses import dataclass

from agents.tools.builtin.tables.cells import Kind, kinds_of
from agents.tools.builtin.tables.grid import Grid, Record, Skipped, SkipReason, Source
from agents.tools.builtin.tables.header import Layout, find_layout
from agents.tools.builtin.tables.ragged import fitted
from agents.tools.builtin.tables.totals import TotalRules
from orchestrator.domain.counting import counted
from orchestrator.errors import InputError

_RULE_SIGNS = frozenset("-=_*+|.─━═—– ")


@dataclass(frozen=True, slots=True)
class _Body:
    """The rows below the header, mended to the width of the table."""

    records: list[Record]
    joined: list[int]


def arrange(records: Sequence[Record], source: Source, name: str) -> Grid:
    """Make a grid of a file's records. Raises InputError when there is no table of two columns with a row."""
    written, skipped = _parted(records)
    filled = [_stripped(record) for record in written]
    if not filled:
        raise InputError("the file is empty", where=name, mend="Give a table with a header and rows.")
    layout = find_layout(filled)
    if layout.width < 2:
        raise InputError("the table has only one column", where=name, mend="Give a table of two columns or more.")
    first = 0 if layout.header is None else layout.header + 1
    skipped += [_skip(record, "preamble") for record in filled[: max(0, first - 1)]]
    names, units = _names(filled, layout)
    if units:
        skipped.append(_skip(filled[first], "units"))
    body = _fit_all(written[first + units :], filled[first + units :], layout, source)
    kept, left_out, notes = _sorted(body.records, layout, filled[first - 1].cells if first else (), source)
    if not kept:
        raise InputError("the table has a header but no rows", where=name, mend="Give a table with at least one row.")
    if body.joined:
        lines = ", ".join(str(line) for line in body.joined[:5])
        verb, places = ("was", "line") if len(body.joined) == 1 else ("were", "lines")
        rows = counted(len(body.joined), "row")
        notes.insert(0, f"{rows} had too many cells and {verb} joined to fit ({places} {lines}).")
    if source.delimiter and kept[-1].line == written[-1].line and _is_cut_off(written, layout):
        notes.append(f"The last row (line {kept[-1].line}) has fewer cells than the others: the file may be cut off.")
    if layout.header is None:
        notes.insert(0, "The table has no header; its columns were numbered.")
    return Grid(
        name=name,
        header=_unique(names),
        header_line=None if layout.header is None else filled[layout.header].line,
        rows=tuple(record.cells for record in kept),
        lines=tuple(record.line for record in kept),
        source=source,
        skipped=tuple(sorted(skipped + left_out, key=lambda one: one.line)),
        assumptions=tuple(notes),
    )


def _parted(records: Sequence[Record]) -> tuple[list[Record], list[Skipped]]:
    written: list[Record] = []
    blank: list[Skipped] = []
    for record in records:
        if _is_empty(record.cells):
            blank.append(Skipped(record.line, "blank", ""))
        else:
            written.append(record)
    return written, blank


def _is_empty(cells: Sequence[str]) -> bool:
    return not any(cell.strip() for cell in cells)


def _stripped(record: Record) -> Record:
    return Record(record.line, tuple(cell.strip() for cell in record.cells))


def _skip(record: Record, reason: SkipReason) -> Skipped:
    return Skipped(record.line, reason, " ".join(cell for cell in record.cells if cell)[:200])


def _is_cut_off(written: Sequence[Record], layout: Layout) -> bool:
    """True when the last line alone is shorter; programs that leave out empty cells at the end do so in any row."""
    return len(written[-1].cells) < layout.width and all(len(one.cells) >= layout.width for one in written[-100:-1])


def _names(filled: Sequence[Record], layout: Layout) -> tuple[list[str], bool]:
    """The column names, with the units of a second header line (`EUR`) behind them."""
    if layout.header is None:
        return [""] * layout.width, False
    names, _ = fitted(filled[layout.header].cells, _all_text(layout.width), " ")
    if layout.header + 1 >= len(filled):
        return list(names), False
    below, _ = fitted(filled[layout.header + 1].cells, layout.kinds, " ")
    typed = [kind for kind, column in zip(kinds_of(below), layout.kinds, strict=True) if column in ("number", "date")]
    if "text" not in typed or "number" in typed or "date" in typed or _is_rule(below):
        return list(names), False
    return [f"{name} {unit}".strip() for name, unit in zip(names, below, strict=True)], True


def _all_text(width: int) -> list[Kind]:
    return ["text"] * width


def _is_rule(cells: Sequence[str]) -> bool:
    return all(not cell or (len(cell) >= 2 and set(cell) <= _RULE_SIGNS) for cell in cells)


def _unique(names: Sequence[str]) -> tuple[str, ...]:
    taken: list[str] = []
    for place, raw in enumerate(names, start=1):
        base = " ".join(raw.split()) or f"column {place}"
        name, copy = base, 2
        while name in taken:
            name, copy = f"{base} ({copy})", copy + 1
        taken.append(name)
    return tuple(taken)


def _fit_all(written: Sequence[Record], stripped: Sequence[Record], layout: Layout, source: Source) -> _Body:
    body = _Body([], [])
    for record, plain in zip(written, stripped, strict=True):
        if len(record.cells) == layout.width:
            body.records.append(plain)
            continue
        cells, joined = fitted(record.cells, layout.kinds, source.delimiter)
        body.records.append(_stripped(Record(record.line, cells)))
        if joined:
            body.joined.append(record.line)
    return body


def _sorted(
    records: list[Record], layout: Layout, header: Sequence[str], source: Source
) -> tuple[list[Record], list[Skipped], list[str]]:
    """Part the data rows from rules, repeated headers, notes without figures, and totals."""
    left_out: list[Skipped] = []
    rest: list[Record] = []
    for record in records:
        reason = _reason(record, layout, header)
        if reason:
            left_out.append(_skip(record, reason))
        else:
            rest.append(record)
    rules = TotalRules.of([record.cells for record in rest], layout.kinds, source.decimal)
    kept: list[Record] = []
    notes: list[str] = []
    for place, record in enumerate(rest):
        verdict = rules.judge(record.cells, at_edge=place < 3 or place >= len(rest) - 10)
        if verdict.is_total:
            left_out.append(_skip(record, "total"))
            notes += [f"Line {record.line}: {verdict.note}"] if verdict.note else []
        else:
            rules.add(record.cells)
            kept.append(record)
    notes += _footers_note(left_out)
    return kept, left_out, notes


def _reason(record: Record, layout: Layout, header: Sequence[str]) -> SkipReason | None:
    if _is_rule(record.cells):
        return "separator"
    same = sum(
        1 for cell, name in zip(record.cells, header, strict=False) if cell and cell.casefold() == name.casefold()
    )
    if header and same * 10 >= 8 * sum(1 for name in header if name):
        return "repeated header"
    return "footer" if _is_remark(record.cells, layout.kinds) else None


def _is_remark(cells: Sequence[str], columns: Sequence[Kind]) -> bool:
    """A line of text among the rows (page number, end of report): neither number nor date, and few cells filled."""
    if not any(column in ("number", "date") for column in columns):
        return False
    filled = sum(1 for cell in cells if cell)
    if filled * 2 > len(columns):
        return False
    return not any(
        kind in ("number", "date") for kind, column in zip(kinds_of(cells), columns, strict=True) if column != "text"
    )


def _footers_note(left_out: Sequence[Skipped]) -> list[str]:
    remarks = [one for one in left_out if one.reason == "footer"]
    if not remarks:
        return []
    shown = "; ".join(f"line {one.line} «{one.text[:40]}»" for one in remarks[:3])
    return [f"{len(remarks)} lines hold neither a figure nor a date and are no rows ({shown})."]
