"""One look: the chosen passes in order, each on what the ones before left open."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Final, get_args

from agents.tools.builtin.reconcile.differences import reason_of
from agents.tools.builtin.reconcile.lag import learn
from agents.tools.builtin.reconcile.names import AGREE
from agents.tools.builtin.reconcile.options import PURPOSE, MatchOptions, PassName, ordered
from agents.tools.builtin.reconcile.passes.amount import amount
from agents.tools.builtin.reconcile.passes.amount_alone import amount_alone
from agents.tools.builtin.reconcile.passes.currency import currency
from agents.tools.builtin.reconcile.passes.duplicate_party import duplicate_party
from agents.tools.builtin.reconcile.passes.duplicate_reference import duplicate_reference
from agents.tools.builtin.reconcile.passes.late import late
from agents.tools.builtin.reconcile.passes.name_difference import name_difference
from agents.tools.builtin.reconcile.passes.pairing import equal_amounts
from agents.tools.builtin.reconcile.passes.possible_pair import possible_pair
from agents.tools.builtin.reconcile.passes.reference import reference
from agents.tools.builtin.reconcile.passes.reference_difference import reference_difference
from agents.tools.builtin.reconcile.passes.reference_group import reference_group
from agents.tools.builtin.reconcile.passes.reference_spelling import reference_spelling
from agents.tools.builtin.reconcile.passes.sum_group import sum_group
from agents.tools.builtin.reconcile.result import Stored
from agents.tools.builtin.reconcile.state import Books, Doubt, Found, Link, State, Twin, days_apart

_PASSES: Final[Mapping[PassName, Callable[[State, MatchOptions], Found]]] = {
    "reference": reference,
    "reference_spelling": reference_spelling,
    "reference_group": reference_group,
    "amount": amount,
    "sum_group": sum_group,
    "duplicate_reference": duplicate_reference,
    "duplicate_party": duplicate_party,
    "reference_difference": reference_difference,
    "currency": currency,
    "late": late,
    "name_difference": name_difference,
    "amount_alone": amount_alone,
    "possible_pair": possible_pair,
}
_OFTEN: Final = 3


class PassReport(Stored):
    """What one pass did: how much it linked, how much it doubts, how much stayed open on each side."""

    name: PassName
    purpose: str
    links: int
    doubles: int
    doubts: int
    open_left: int
    open_right: int


class Looser(Stored):
    """A pass that was not run: how many links and doubles it would find in the rows that no pass has placed, and about
    how many more it would only ask."""

    name: PassName
    purpose: str
    would_find: int
    would_ask: int


@dataclass(frozen=True, slots=True)
class Seen:
    """Everything a look found, and the state it ended in."""

    state: State
    links: tuple[Link, ...] = ()
    twins: tuple[Twin, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    reports: tuple[PassReport, ...] = field(default=())


def look(books: Books, options: MatchOptions) -> Seen:
    """Run the passes of the options on everything."""
    return _run(Seen(State.start(books)), ordered(options.passes), options)


def looser(seen: Seen, options: MatchOptions) -> tuple[Looser, ...]:
    """What the passes that were not chosen would still find, tried on the open rows without keeping it."""
    others: tuple[PassName, ...] = tuple(name for name in get_args(PassName) if name not in options.passes)
    tried = _run(Seen(seen.state), others, options)
    return tuple(
        Looser(
            name=report.name,
            purpose=report.purpose,
            would_find=report.links + report.doubles,
            would_ask=report.doubts,
        )
        for report in tried.reports
    )


def _run(seen: Seen, passes: Iterable[PassName], options: MatchOptions) -> Seen:
    state = _informed(seen, options)
    for name in passes:
        found = _PASSES[name](state, options)
        rest = state.without(found)
        report = PassReport(
            name=name,
            purpose=PURPOSE[name],
            links=len(found.links),
            doubles=len(found.twins),
            doubts=len(found.doubts),
            open_left=len(rest.open["left"]),
            open_right=len(rest.open["right"]),
        )
        seen = Seen(
            rest,
            (*seen.links, *found.links),
            (*seen.twins, *found.twins),
            (*seen.doubts, *found.doubts),
            (*seen.reports, report),
        )
        state = _informed(seen, options) if found.links else rest
    return replace(seen, state=state)


def _informed(seen: Seen, options: MatchOptions) -> State:
    """The state with the delay and the differences that the links so far show to be usual."""
    entries = seen.state.books.entries
    pairs = [
        (entries["left"][link.rows.left[0]], entries["right"][link.rows.right[0]])
        for link in seen.links
        if len(link.rows.left) == len(link.rows.right) == 1
    ]
    exact = [days for a, b in pairs if a.amount == b.amount and (days := days_apart(a, b)) is not None]
    if not seen.links and not seen.state.lag.samples:
        exact = _delays_of_lone_amounts(seen.state, options)
    lag = learn(exact, options.late_days) if exact else seen.state.lag
    repeated = _repeated(seen) if seen.links else seen.state.repeated
    return replace(seen.state, lag=lag if lag.samples else seen.state.lag, repeated=repeated)


def _delays_of_lone_amounts(state: State, options: MatchOptions) -> list[int]:
    """Before anything is linked: the delays between the only two bookings of an amount, if their names agree."""
    delays: list[int] = []
    for lefts, rights in equal_amounts(state):
        if len(lefts) == len(rights) == 1:
            (_, left), (_, right) = lefts[0], rights[0]
            days, score = days_apart(left, right), state.books.name_score(left, right)
            if days is not None and abs(days) <= options.far_days and (score is None or score >= AGREE):
                delays.append(days)
    return delays


def _repeated(seen: Seen) -> Collection[Decimal]:
    """Differences that no rule explains but that stand in several bookings linked so far."""
    entries = seen.state.books.entries
    counts: Counter[Decimal] = Counter()
    for link in seen.links:
        left = [entries["left"][row] for row in link.rows.left]
        right = [entries["right"][row] for row in link.rows.right]
        if len({entry.currency for entry in (*left, *right)}) == 1:
            sums = sum(entry.amount for entry in left), sum(entry.amount for entry in right)
            if sums[0] != sums[1] and not reason_of(Decimal(sums[0]), Decimal(sums[1])).known:
                counts[abs(Decimal(sums[0] - sums[1]))] += 1
    return frozenset(off for off, count in counts.items() if count >= _OFTEN)
