"""A reconciliation as far as it got: the result, what was run, what is asked, and what a looser look would find."""

from collections.abc import Iterable, Mapping

from agents.tools.builtin.reconcile.entries import Entry, Side
from agents.tools.builtin.reconcile.identity import check, ensure
from agents.tools.builtin.reconcile.lag import Lag
from agents.tools.builtin.reconcile.looking import Looser, PassReport, Seen, look, looser
from agents.tools.builtin.reconcile.options import Look, MatchOptions, PassName, passes_of
from agents.tools.builtin.reconcile.placing import place
from agents.tools.builtin.reconcile.questions import Decided, Question
from agents.tools.builtin.reconcile.result import (
    BookedRow,
    Break,
    BrokenRows,
    Reconciliation,
    Stored,
    in_order,
    totals_of,
)
from agents.tools.builtin.reconcile.state import Books, SideName
from agents.tools.builtin.reconcile.summary import Summary, summarise, tally


class Matching(Stored):
    """Everything that is known after a look, as an observation stores it; answers are applied to it."""

    passes: tuple[PassName, ...]
    result: Reconciliation
    rows: BrokenRows
    questions: tuple[Question, ...]
    decided: tuple[Decided, ...] = ()
    reports: tuple[PassReport, ...]
    looser: tuple[Looser, ...]
    lag: Lag
    late_days: int
    summary: Summary

    @property
    def next_look(self) -> Look | None:
        """The next looser look that would find more, links or a choice between them; None when none would.

        What may belong together without any rule saying so is no reason to look again.
        """
        for name in ("normal", "loose"):
            more = set(passes_of(name)) - {*self.passes, "possible_pair"}
            if any(other.would_find or other.would_ask for other in self.looser if other.name in more):
                return name
        return None

    def with_tickets(self, tickets: Mapping[str, str]) -> "Matching":
        """The same with the ids of questions replaced by the ids of the tickets that ask them."""
        return self.model_copy(update={"result": self.result.with_tickets(tickets)})


def match(
    left: Side, right: Side, options: MatchOptions | None = None, assumptions: Iterable[str] | None = None
) -> Matching:
    """Place every booking of both sides in one match or one break.

    `assumptions` is what was assumed about both sides together; without it, what each side says of itself.
    Raises DefectError when the outcome does not tie out: it is then never presented.
    """
    options = options or MatchOptions()
    books = Books(left, right)
    seen = look(books, options)
    placed = place(seen, options)
    said = (*left.assumptions, *right.assumptions) if assumptions is None else tuple(assumptions)
    result = Reconciliation(
        left=totals_of(left),
        right=totals_of(right),
        matches=tuple(sorted(placed.matches, key=lambda found: (found.left, found.right))),
        breaks=in_order(placed.breaks),
        assumptions=(*said, *_assumed(seen)),
    )
    ensure(check(left, right, result))
    lefts = books.entries["left"]
    tallies = tally(result.matches, lambda rows: [lefts[row] for row in rows])
    return Matching(
        passes=tuple(report.name for report in seen.reports),
        result=result,
        rows=_broken(books, result.breaks),
        questions=placed.questions,
        reports=seen.reports,
        looser=looser(seen, options),
        lag=seen.state.lag,
        late_days=options.late_days,
        summary=summarise(result, tallies, len(placed.questions)),
    )


def _assumed(seen: Seen) -> tuple[str, ...]:
    lag = seen.state.lag
    if not lag.samples:
        return ()
    return (f"The right side usually books {lag.low} to {lag.high} days after the left, seen in {lag.samples} pairs.",)


def _broken(books: Books, breaks: tuple[Break, ...]) -> BrokenRows:
    def of(side: SideName, rows: list[int]) -> tuple[BookedRow, ...]:
        entries: list[Entry] = [books.entries[side][row] for row in sorted(rows)]
        return tuple(BookedRow.of(entry) for entry in entries)

    return BrokenRows(
        left=of("left", [row for found in breaks for row in found.left]),
        right=of("right", [row for found in breaks for row in found.right]),
    )
