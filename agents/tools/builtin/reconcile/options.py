"""How strictly two sides are matched: the passes of a look, their windows and their limits."""

from dataclasses import dataclass
from typing import Final, Literal, get_args

PassName = Literal[
    "reference",
    "reference_spelling",
    "reference_group",
    "amount",
    "sum_group",
    "duplicate_reference",
    "duplicate_party",
    "reference_difference",
    "currency",
    "late",
    "name_difference",
    "amount_alone",
    "possible_pair",
]
"""Every pass, in the order in which it is run."""

Look = Literal["strict", "normal", "loose"]

_STRICT: Final[tuple[PassName, ...]] = (
    "reference",
    "reference_spelling",
    "reference_group",
    "duplicate_reference",
    "reference_difference",
)
_LOOSE_ONLY: Final[tuple[PassName, ...]] = ("amount_alone", "possible_pair")

PURPOSE: Final[dict[PassName, str]] = {
    "reference": "same reference, same amount",
    "reference_spelling": "reference spelled differently or inside a text, same amount",
    "reference_group": "several bookings against one by reference, exact sum",
    "amount": "same amount, similar name, usual number of days apart",
    "sum_group": "several bookings of one party against one, exact sum",
    "duplicate_reference": "one booking too many: same reference and amount on one side",
    "duplicate_party": "one booking too many: same party and amount on one side",
    "reference_difference": "same reference, different amount or currency",
    "currency": "same amount and name, different currency",
    "late": "same amount and name, unusually many days apart",
    "name_difference": "same name and time, amount off by a typical difference",
    "amount_alone": "same amount and time, names that do not agree",
    "possible_pair": "same name and time, amount off without explanation: asked, never decided",
}


def ordered(names: "tuple[PassName, ...] | list[PassName]") -> tuple[PassName, ...]:
    """The passes of `names` in the order in which they are run, each once."""
    return tuple(name for name in get_args(PassName) if name in names)


def passes_of(look: Look) -> tuple[PassName, ...]:
    """The passes of a look: references only, then amounts, names and dates, then whatever may belong together."""
    if look == "strict":
        return _STRICT
    everything: tuple[PassName, ...] = get_args(PassName)
    return everything if look == "loose" else tuple(name for name in everything if name not in _LOOSE_ONLY)


@dataclass(frozen=True, slots=True)
class MatchOptions:
    """What a look may do. The defaults suit month ends; an agent changes `passes` first."""

    passes: tuple[PassName, ...] = passes_of("normal")
    max_questions: int = 3
    slack_days: int = 3
    """Days an exact amount may stand outside the usual delay."""
    late_days: int = 14
    """A linked booking this many days off the usual delay is a break of kind `date`; more when delays vary much."""
    far_days: int = 130
    """How far apart two bookings without a common reference may lie at all."""
    twin_days: int = 14
    """Two equal bookings of one side with one reference are a double booking within so many days."""
    twin_days_unreferenced: int = 4
    group_size: int = 6
    """At most so many bookings are summed against one where no reference names them."""

    @classmethod
    def of(cls, look: Look, max_questions: int = 3) -> "MatchOptions":
        """The options of a look."""
        return cls(passes=passes_of(look), max_questions=max_questions)
