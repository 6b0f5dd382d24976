"""What only a person can decide: questions with candidates and typed choices, each with its effect on the result."""

from typing import Final, Literal

from agents.tools.builtin.reconcile.result import BookedRow, Stored, Sums
from agents.tools.builtin.reconcile.state import Rows

KEEP_OPEN: Final = "keep_open"


class Effect(Stored):
    """What a choice does: `keep` nothing, `explain` a break, `part` it into missing rows, `link` rows."""

    kind: Literal["keep", "explain", "part", "link"]
    reason: str = ""
    links: tuple[Rows, ...] = ()


class Choice(Stored):
    """One possible answer: `value` is what is sent back, `label` what a person reads."""

    value: str
    label: str
    effect: Effect


class Candidates(Stored):
    """The bookings a question is about."""

    left: tuple[BookedRow, ...]
    right: tuple[BookedRow, ...]


class Question(Stored):
    """One decision for a person; until it is answered, `about` names the provisional breaks it rests on."""

    id: str
    about: tuple[str, ...]
    text: str
    stake: Sums
    candidates: Candidates
    choices: tuple[Choice, ...]
    default: str = KEEP_OPEN


class Decision(Stored):
    """An answer: which choice a question got, and the ticket it was given in."""

    question: str
    choice: str
    ticket: str | None = None


class Decided(Stored):
    """A question that was answered, with which choice, and where (the question's id where no ticket is known)."""

    question: Question
    choice: Choice
    ticket: str


def keep_open() -> Choice:
    """Leave everything as it stands: always possible, and the default."""
    return Choice(value=KEEP_OPEN, label="Leave it open", effect=Effect(kind="keep"))


def difference_choices(off: str) -> tuple[Choice, ...]:
    """The answers to a difference in amount that no rule explains; `off` is the difference as people read it."""

    def accepted(value: str, what: str) -> Choice:
        label = f"The same payment; the difference of {off} is {what}"
        return Choice(value=value, label=label, effect=Effect(kind="explain", reason=f"accepted as {what}"))

    return (
        accepted("accept_discount", "a discount"),
        accepted("accept_fee", "a fee"),
        accepted("accept_typo", "a typing mistake"),
        accepted("part_payment", "still due: a part payment"),
        Choice(
            value="not_the_same",
            label="Not the same payment: each side lacks one booking",
            effect=Effect(kind="part", reason="not the same payment"),
        ),
        keep_open(),
    )
