"""The report for finance people: outcome, totals, matches by rule, breaks by kind, questions and assumptions."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from agents.tools.builtin.reconcile.markdown import amount, amounts, cited, safe, table
from agents.tools.builtin.reconcile.matching import Matching
from agents.tools.builtin.reconcile.options import PURPOSE
from agents.tools.builtin.reconcile.questions import Question
from agents.tools.builtin.reconcile.result import BookedRow, Break, BreakKind

_MOST_SHOWN: Final = 200
_LINKED: Final[Mapping[BreakKind, str]] = {
    "amount": "Amounts that differ",
    "currency": "Booked in another currency",
    "date": "Booked weeks apart",
}


class Sources(NamedTuple):
    """The observations a report rests on: the result, and the profile of each side where there is one."""

    result: str
    left: str | None = None
    right: str | None = None


def write_report(matching: Matching, sources: Sources | None = None) -> str:
    """The report in Markdown; every figure in it stands in the matching's data.

    With `sources` each line with a figure cites the observation that holds it. Without, nothing is cited: so it is
    stored beside its own observation, whose number is not known yet, and is cited where it is taken in.
    """
    cite = sources.result if sources else None
    lines = [
        *_outcome(matching),
        *_totals(matching, cite),
        *_by_rule(matching, cite),
        *_breaks(matching, cite),
        *_questions(matching),
        *_assumptions(matching),
    ]
    if sources:
        lines = [*cited(lines, sources.result), *_sources(matching, sources)]
    return "\n".join(lines) + "\n"


def _outcome(matching: Matching) -> Iterator[str]:
    result, summary = matching.result, matching.summary
    left, right = _names(matching)
    yield f"# Reconciliation of {left} with {right}"
    yield ""
    yield (
        f"- **{summary.matched_left} of {result.left.rows}** bookings in {left} and **{summary.matched_right} of "
        f"{result.right.rows}** in {right} match."
    )
    if summary.breaks:
        gaps = {bridge.currency: bridge.difference for bridge in summary.bridges}
        yield (
            f"- **{summary.breaks}** {_plural(summary.breaks, 'break accounts', 'breaks account')} for the whole "
            f"difference between the totals, {amounts(gaps)}: it ties out to the cent, and every booking stands in "
            "exactly one place."
        )
    else:
        yield "- There is no break: the totals agree to the cent."
    if summary.open_questions:
        asked = _plural(summary.open_questions, "question is", "questions are")
        yield f"- **{summary.open_questions}** {asked} open; the breaks in question are provisional."
    else:
        yield "- No question is open."


def _plural(count: int, one: str, several: str) -> str:
    return one if count == 1 else several


def _totals(matching: Matching, cite: str | None) -> Iterator[str]:
    left, right = _names(matching)
    yield from ("", "## Totals and bridge", "")
    heads = ("Currency", left, right, "Difference")
    rows = [
        (safe(one.currency), amount(one.left_total), amount(one.right_total), amount(one.difference))
        for one in matching.summary.bridges
    ]
    yield from table(heads, rows, cite, right=heads[1:])
    for bridge in matching.summary.bridges:
        yield from ("", f"From {left} to {right} in {safe(bridge.currency)}:", "")
        steps = [
            (f"less {_kind_name(matching, one.kind).lower_first}", str(one.breaks), amount(one.difference))
            for one in bridge.steps
        ]
        first = (f"Total of {left}", "", amount(bridge.left_total))
        last = (f"**Total of {right}**", "", f"**{amount(bridge.right_total)}**")
        yield from table(("Step", "Breaks", "Amount"), [first, *steps, last], cite, right=("Breaks", "Amount"))


class _Title(str):
    """A heading that can also stand inside a sentence."""

    @property
    def lower_first(self) -> str:
        return self[:1].lower() + self[1:]


def _kind_name(matching: Matching, kind: BreakKind) -> _Title:
    left, right = _names(matching)
    if kind == "missing_in_right":
        return _Title(f"Missing in {right}")
    if kind == "missing_in_left":
        return _Title(f"Missing in {left}")
    return _Title(_LINKED.get(kind, "Booked twice"))


def _by_rule(matching: Matching, cite: str | None) -> Iterator[str]:
    yield from ("", "## Matches by rule", "")
    if not matching.summary.by_rule:
        yield "Nothing matches."
        return
    heads = ("Rule", "Matches", "Left rows", "Right rows", "Settled")
    rows = [
        (_rule_name(one.rule), str(one.links), str(one.left_rows), str(one.right_rows), amounts(one.settled))
        for one in matching.summary.by_rule
    ]
    yield from table(heads, rows, cite, right=heads[1:])


def _rule_name(rule: str) -> str:
    purposes: Mapping[str, str] = {**PURPOSE, "decision": "decided by a person"}
    purpose = purposes.get(rule, rule)
    return purpose[:1].upper() + purpose[1:]


def _breaks(matching: Matching, cite: str | None) -> Iterator[str]:
    yield from ("", "## Breaks by kind")
    if not matching.result.breaks:
        yield from ("", "There are none.")
    for one in matching.summary.by_kind:
        found = [break_ for break_ in matching.result.breaks if break_.kind == one.kind]
        yield from ("", f"### {_kind_name(matching, one.kind)}", "")
        yield f"{one.breaks} in all, {amounts(one.difference)} in the totals."
        yield ""
        yield from _break_table(matching, one.kind, _largest(found), cite)
        if len(found) > _MOST_SHOWN:
            yield from ("", f"The largest are shown; all {one.breaks} stand in `exceptions.csv`.")


def _largest(breaks: Sequence[Break]) -> list[Break]:
    ranked = sorted(breaks, key=lambda one: max(map(abs, one.difference.values()), default=0), reverse=True)
    kept = {one.id for one in ranked[:_MOST_SHOWN]}
    return [one for one in breaks if one.id in kept]


def _break_table(matching: Matching, kind: BreakKind, breaks: Sequence[Break], cite: str | None) -> list[str]:
    rows = _Rows(matching)
    if kind in _LINKED:
        heads = ("Left row", "Right row", "Date", "Party", "Reference", "Left", "Right", "Difference", "Why")
        return table(heads, [rows.linked(one) for one in breaks], cite, right=("Left", "Right", "Difference"))
    heads = ("Side", "Row", "Date", "Party", "Reference", "Amount", "Why")
    return table(heads, [rows.alone(one) for one in breaks], cite, right=("Row", "Amount"))


class _Rows:
    """The bookings in breaks as cells of a table."""

    def __init__(self, matching: Matching) -> None:
        self._left = {one.row: one for one in matching.rows.left}
        self._right = {one.row: one for one in matching.rows.right}

    def linked(self, found: Break) -> tuple[str, ...]:
        left, right = [self._left[row] for row in found.left], [self._right[row] for row in found.right]
        both = [*left, *right]
        return (
            _joined(str(one.row) for one in left),
            _joined(str(one.row) for one in right),
            _joined(one.date.isoformat() for one in both if one.date),
            _joined(safe(one.party) for one in both),
            _joined(safe(one.reference) for one in both),
            _booked(left),
            _booked(right),
            amounts(found.difference),
            _why(found),
        )

    def alone(self, found: Break) -> tuple[str, ...]:
        side = "left" if found.left else "right"
        booking = self._left[found.left[0]] if found.left else self._right[found.right[0]]
        return (
            side,
            str(booking.row),
            booking.date.isoformat() if booking.date else "",
            safe(booking.party),
            safe(booking.reference),
            _booked([booking]),
            _why(found),
        )


def _booked(bookings: Sequence[BookedRow]) -> str:
    return " + ".join(f"{amount(one.amount)} {safe(one.currency)}" for one in bookings)


def _why(found: Break) -> str:
    ticket = f" See {safe(found.ticket)}." if found.ticket else ""
    return f"{safe(found.explanation)}{ticket}"


def _joined(values: Iterator[str]) -> str:
    return ", ".join(dict.fromkeys(value for value in values if value))


def _questions(matching: Matching) -> Iterator[str]:
    if matching.questions:
        yield from ("", "## Open questions")
        for question in matching.questions:
            yield from ("", *_asked(question))
    if matching.decided:
        yield from ("", "## Decided", "")
        for decided in matching.decided:
            yield f"- {safe(decided.ticket)}: {safe(decided.question.text)} Answer: **{safe(decided.choice.label)}**"


def _asked(question: Question) -> Iterator[str]:
    yield f"**{question.id}**, {amounts(question.stake)}: {safe(question.text)}"
    yield ""
    for choice in question.choices:
        default = ", the default" if choice.value == question.default else ""
        yield f"- {safe(choice.label)} (`{choice.value}`{default})"


def _assumptions(matching: Matching) -> Iterator[str]:
    if matching.result.assumptions:
        yield from ("", "## Assumptions", "")
        yield from (f"- {safe(text)}" for text in matching.result.assumptions)


def _sources(matching: Matching, sources: Sources) -> Iterator[str]:
    yield from ("", "## Sources", "")
    yield f"- Result: [{sources.result}]"
    for name, cite in zip(_names(matching), (sources.left, sources.right), strict=True):
        if cite:
            yield f"- {name}: [{cite}]"


def _names(matching: Matching) -> tuple[str, str]:
    return safe(matching.result.left.name), safe(matching.result.right.name)
