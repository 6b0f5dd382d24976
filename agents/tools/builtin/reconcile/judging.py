"""What a link means: a match when its amounts agree in time, otherwise a break with its kind and its reason."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from agents.tools.builtin.reconcile.differences import Reason, money, reason_of
from agents.tools.builtin.reconcile.lag import Lag
from agents.tools.builtin.reconcile.result import Booking, Break, Match, difference_of, sums_of

_BY: Final[Mapping[str, str]] = {
    "reference": "Linked by reference",
    "reference_spelling": "Linked by reference in another spelling",
    "reference_group": "Linked by reference",
    "reference_difference": "Linked by reference",
    "amount": "Linked by amount, name and date",
    "sum_group": "Linked by party and exact sum",
    "currency": "Linked by amount, name and date",
    "late": "Linked by amount and name",
    "name_difference": "Linked by name and date",
    "amount_alone": "Linked by amount and date",
    "decision": "Linked by a person's decision",
}


@dataclass(frozen=True, slots=True)
class Usual:
    """What delays are usual here, and from how many days off them a booking counts as late."""

    lag: Lag
    late_days: int


@dataclass(frozen=True, slots=True)
class Judgement:
    """A link judged; `open` when its difference has no known reason, so a person has to look."""

    found: Match | Break
    open: bool = False


def judge(
    left: Sequence[Booking],
    right: Sequence[Booking],
    rule: str,
    usual: Usual,
    *,
    repeated: Collection[Decimal] = (),
) -> Judgement:
    """The match or the break that a link is."""
    difference = difference_of(left, right)
    rows = tuple(sorted(one.row for one in left)), tuple(sorted(one.row for one in right))
    by = _BY[rule]
    if any(difference.values()):
        if set(sums_of(left)) != set(sums_of(right)):
            text = f"{by}; {_currencies(left, right)}"
            return Judgement(
                Break(kind="currency", left=rows[0], right=rows[1], difference=difference, explanation=text)
            )
        reason = _reason(left, right, repeated)
        text = f"{by}; {reason.text}{_apart(left, right, usual)}."
        found = Break(kind="amount", left=rows[0], right=rows[1], difference=difference, explanation=text)
        return Judgement(found, open=not reason.known)
    late = _apart(left, right, usual)
    if late:
        text = f"{by}; the amounts agree{late}."
        return Judgement(Break(kind="date", left=rows[0], right=rows[1], difference=difference, explanation=text))
    kind = "match" if len(left) == len(right) == 1 else "grouped"
    return Judgement(Match(left=rows[0], right=rows[1], kind=kind, rule=rule, difference=difference))


def _reason(left: Sequence[Booking], right: Sequence[Booking], repeated: Collection[Decimal]) -> Reason:
    sums = [(sums_of(left)[currency], sums_of(right)[currency]) for currency in sums_of(left)]
    differing = [(one, other) for one, other in sums if one != other]
    reasons = [reason_of(one, other, repeated) for one, other in differing]
    return next((reason for reason in reasons if not reason.known), reasons[0])


def _currencies(left: Sequence[Booking], right: Sequence[Booking]) -> str:
    shown = [_shown(side) for side in (left, right)]
    amounts = [sum(sums_of(side).values()) for side in (left, right)]
    same = "the same amount in another currency" if amounts[0] == amounts[1] else "another currency"
    return f"{same}: {shown[0]} against {shown[1]}."


def _shown(bookings: Sequence[Booking]) -> str:
    return " and ".join(f"{money(value)} {currency}" for currency, value in sums_of(bookings).items())


def _apart(left: Sequence[Booking], right: Sequence[Booking], usual: Usual) -> str:
    """` and …` when the bookings lie unusually far apart, otherwise nothing."""
    delays = [(b.date - a.date).days for a in left for b in right if a.date is not None and b.date is not None]
    late = [days for days in delays if usual.lag.late(days, usual.late_days)]
    if not late:
        return ""
    furthest = max(late, key=lambda days: (abs(days), days))
    known = f", usual are {usual.lag.low} to {usual.lag.high}" if usual.lag.samples else ""
    return f", and the bookings lie {abs(furthest)} days apart{known}"
