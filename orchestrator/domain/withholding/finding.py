"""Finds in a text what must not leave, by the pattern sets that a team names."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from orchestrator.domain.evidence.typography import fold
from orchestrator.domain.record import Record
from orchestrator.domain.withholding.numbers import cards, emails, ibans, national_ids, phones
from orchestrator.domain.withholding.secrets import secrets
from orchestrator.errors import TeamError

SETS: Mapping[str, Callable[[str], Iterator[tuple[int, int]]]] = {
    "secrets": secrets,
    "cards": cards,
    "iban": ibans,
    "email": emails,
    "phone": phones,
    "national_id": national_ids,
}
"""The pattern sets by name: each yields where its hits stand."""


class Hit(Record):
    """A string that must not leave, and where it stands."""

    set: str
    text: str
    start: int
    end: int


def find(text: str, sets: Iterable[str]) -> tuple[Hit, ...]:
    """The hits of the pattern sets in the order of the text. Raises TeamError for a set that there is not."""
    folded = fold(text)
    hits: list[Hit] = []
    for name in dict.fromkeys(sets):
        if name not in SETS:
            raise TeamError(f"`{name}` is no pattern set", where="withhold", mend=f"Name some of: {', '.join(SETS)}.")
        hits += (Hit(set=name, text=text[start:end], start=start, end=end) for start, end in SETS[name](folded))
    return tuple(_outermost(sorted(hits, key=lambda hit: (hit.start, -hit.end))))


def _outermost(hits: Iterable[Hit]) -> Iterator[Hit]:
    """Without the hits that lie inside another."""
    end = -1
    for hit in hits:
        if hit.end > end:
            yield hit
            end = hit.end
