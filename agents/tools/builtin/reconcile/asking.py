"""Which open issues become questions: the most valuable first, up to a limit; the others are told as not asked."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from agents.tools.builtin.reconcile.differences import money
from agents.tools.builtin.reconcile.entries import Entry
from agents.tools.builtin.reconcile.questions import Candidates, Choice, Effect, Question, difference_choices, keep_open
from agents.tools.builtin.reconcile.result import BookedRow, Break, break_id, sums_of
from agents.tools.builtin.reconcile.state import Doubt, Rows, SideName

Names = Mapping[SideName, str]
"""What people call the sides."""


@dataclass(frozen=True, slots=True)
class Issue:
    """Something a person could decide: the breaks it concerns, and the question it would be."""

    about: tuple[str, ...]
    text: str
    stake: Mapping[str, Decimal]
    candidates: Candidates
    choices: tuple[Choice, ...]

    @property
    def value(self) -> Decimal:
        """How much money hangs on it; currencies are not converted, only ranked."""
        return max((abs(value) for value in self.stake.values()), default=Decimal(0))


def ask(issues: Iterable[Issue], breaks: Sequence[Break], limit: int) -> tuple[list[Question], list[Break]]:
    """The questions, and the breaks with the id of their question or a word that they were not asked."""
    ranked = sorted(issues, key=lambda issue: (-issue.value, issue.about))
    questions = [
        Question(
            id=f"Q{number}",
            about=issue.about,
            text=issue.text,
            stake=dict(issue.stake),
            candidates=issue.candidates,
            choices=issue.choices,
        )
        for number, issue in enumerate(ranked[:limit], start=1)
    ]
    asked = {about: question.id for question in questions for about in question.about}
    unasked = {about for issue in ranked[limit:] for about in issue.about}
    return questions, [_told(found, asked, unasked, limit) for found in breaks]


def _told(found: Break, asked: Mapping[str, str], unasked: set[str], limit: int) -> Break:
    if found.id in asked:
        return found.model_copy(update={"ticket": asked[found.id]})
    if found.id in unasked:
        note = f" Not asked: at most {limit} questions are, those about the largest amounts."
        return found.model_copy(update={"explanation": found.explanation + note})
    return found


def difference_issue(found: Break, left: Sequence[Entry], right: Sequence[Entry], names: Names) -> Issue:
    """A linked payment whose difference in amount nothing explains."""
    off = _shown({currency: abs(value) for currency, value in found.difference.items() if value})
    text = (
        f"{_described(names['left'], left)} and {_described(names['right'], right)} are linked, but differ by {off}. "
        "Are they the same payment?"
    )
    return Issue((found.id,), text, found.difference, _candidates(left, right), difference_choices(off))


def doubt_issue(
    doubt: Doubt, breaks: Sequence[Break], entries: Mapping[SideName, Mapping[int, Entry]], names: Names
) -> Issue:
    """Bookings that belong together in more than one way, or perhaps not at all."""
    left = [entries["left"][row] for row in doubt.rows.left]
    right = [entries["right"][row] for row in doubt.rows.right]
    few, many = (left, right) if len(left) < len(right) else (right, left)
    on_few, on_many = ("left", "right") if few is left else ("right", "left")
    one, others = _described(names[on_few], few), _described(names[on_many], many)
    text = {
        "tie": f"{one} may belong to {others}: each fits, and no rule separates them. Which belong together?",
        "sums": f"{one} is the sum of more than one set of {others}. Which belong together?",
        "possible": f"{one} may belong to {others}, but no rule says so. Are they the same payment?",
    }[doubt.reason]
    choices = tuple(_link_choice(option, entries, names) for option in doubt.options)
    about = tuple(found.id for found in breaks)
    return Issue(about, text, sums_of(few), _candidates(left, right), (*choices, keep_open()))


def _link_choice(option: tuple[Rows, ...], entries: Mapping[SideName, Mapping[int, Entry]], names: Names) -> Choice:
    def named(side: SideName, rows: tuple[int, ...]) -> str:
        first = entries[side][rows[0]]
        reference = f" ({first.references[0]})" if len(rows) == 1 and first.references else ""
        return f"{names[side]} row {' + '.join(map(str, rows))}{reference}"

    label = "Link " + ", ".join(f"{named('left', rows.left)} with {named('right', rows.right)}" for rows in option)
    value = "link:" + ",".join(break_id(rows.left, rows.right) for rows in option)
    return Choice(value=value, label=label, effect=Effect(kind="link", links=option))


def _described(name: str, bookings: Sequence[Entry]) -> str:
    """Bookings as a person recognises them: file, row, date, party, reference, amount."""
    return f"{name} " + ", ".join(f"row {entry.row} ({_facts(entry)})" for entry in bookings)


def _facts(entry: Entry) -> str:
    facts = [
        entry.date.isoformat() if entry.date else "",
        entry.party,
        entry.references[0] if entry.references else "",
        _shown({entry.currency: entry.amount}),
    ]
    return ", ".join(fact for fact in facts if fact)


def _shown(sums: Mapping[str, Decimal]) -> str:
    return " and ".join(f"{money(value)} {currency}" for currency, value in sorted(sums.items())) or "0.00"


def _candidates(left: Iterable[Entry], right: Iterable[Entry]) -> Candidates:
    return Candidates(
        left=tuple(BookedRow.of(entry) for entry in left), right=tuple(BookedRow.of(entry) for entry in right)
    )
