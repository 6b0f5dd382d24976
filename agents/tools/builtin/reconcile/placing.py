"""From what a look found to matches, breaks and questions: each row in exactly one of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from agents.tools.builtin.reconcile.asking import Issue, ask, difference_issue, doubt_issue
from agents.tools.builtin.reconcile.entries import Entry
from agents.tools.builtin.reconcile.judging import Usual, judge
from agents.tools.builtin.reconcile.looking import Seen
from agents.tools.builtin.reconcile.options import MatchOptions
from agents.tools.builtin.reconcile.questions import Question
from agents.tools.builtin.reconcile.result import Booking, Break, BreakKind, Match, difference_of
from agents.tools.builtin.reconcile.state import SIDES, Doubt, SideName, Twin, other_side

_MISSING: Final[dict[SideName, BreakKind]] = {"left": "missing_in_right", "right": "missing_in_left"}


@dataclass(frozen=True, slots=True)
class Placed:
    """The rows of a look, placed."""

    matches: tuple[Match, ...]
    breaks: tuple[Break, ...]
    questions: tuple[Question, ...]


def place(seen: Seen, options: MatchOptions) -> Placed:
    """Judge the links, tell the doubles, the doubts and what is missing, and ask the most valuable questions."""
    matches: list[Match] = []
    breaks: list[Break] = []
    issues: list[Issue] = []
    entries = seen.state.books.entries
    usual = Usual(seen.state.lag, options.late_days)
    for link in seen.links:
        left = [entries["left"][row] for row in link.rows.left]
        right = [entries["right"][row] for row in link.rows.right]
        judged = judge(left, right, link.rule, usual, repeated=seen.state.repeated)
        if isinstance(judged.found, Match):
            matches.append(judged.found)
            continue
        breaks.append(judged.found)
        if judged.open:
            issues.append(difference_issue(judged.found, left, right, seen.state.books.called))
    breaks += [_double(seen, twin) for twin in seen.twins]
    for doubt in seen.doubts:
        doubted = list(_doubted(seen, doubt))
        breaks += doubted
        issues.append(doubt_issue(doubt, doubted, entries, seen.state.books.called))
    for side in SIDES:
        breaks += [missing(side, entry, _why_missing(side, entry, options)) for entry in seen.state.entries(side)]
    questions, told = ask(issues, breaks, options.max_questions)
    return Placed(tuple(matches), tuple(told), tuple(questions))


def missing(side: SideName, entry: Booking, why: str) -> Break:
    """The break of a booking that stands on one side only."""
    one = [entry]
    rows = (entry.row,)
    if side == "left":
        return Break(kind=_MISSING[side], left=rows, right=(), difference=difference_of(one, []), explanation=why)
    return Break(kind=_MISSING[side], left=(), right=rows, difference=difference_of([], one), explanation=why)


def _why_missing(side: SideName, entry: Entry, options: MatchOptions) -> str:
    across = other_side(side)
    compared = "amount" in options.passes
    if entry.references and compared:
        return f"Nothing on the {across} carries {entry.references[0]} or fits by amount, name and date."
    if entry.references:
        return f"Nothing on the {across} carries {entry.references[0]}; amounts alone were not compared."
    if compared:
        return f"Nothing on the {across} fits by amount, name and date."
    return "It carries no reference, and amounts alone were not compared."


def _double(seen: Seen, twin: Twin) -> Break:
    entries = seen.state.books.entries[twin.side]
    entry, other = entries[twin.row], entries[twin.twin]
    alike = "reference, amount" if set(entry.references) & set(other.references) else "party, amount"
    why = f"Booked twice on the {twin.side}: the same {alike} and time as row {twin.twin}."
    return missing(twin.side, entry, why).model_copy(update={"kind": "duplicate"})


def _doubted(seen: Seen, doubt: Doubt) -> Iterator[Break]:
    for side in SIDES:
        for row in doubt.rows.left if side == "left" else doubt.rows.right:
            entry = seen.state.books.entries[side][row]
            yield missing(side, entry, _why_doubted(doubt, side))


def _why_doubted(doubt: Doubt, side: SideName) -> str:
    across = other_side(side)
    rows = ", ".join(str(row) for row in (doubt.rows.right if side == "left" else doubt.rows.left))
    why = {
        "tie": "more than one booking fits and no rule separates them",
        "sums": "more than one set of bookings adds up to the amount",
        "possible": "the bookings may belong together, but no rule says so",
    }[doubt.reason]
    return f"Open against row {rows} on the {across}: {why}."
