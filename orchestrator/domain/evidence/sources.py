"""The evidence a report is checked against: an index of each observation, made when it is first looked into."""

import calendar
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from orchestrator.domain.evidence.citations import Refs
from orchestrator.domain.evidence.figures import Figure
from orchestrator.domain.evidence.index import Index, merged, solid
from orchestrator.domain.evidence.names import Name
from orchestrator.domain.evidence.support import is_exact

Day = tuple[int, int, int]


class Sources:
    """Observations by number. `given` is what the asker gave (the goal, file names): it needs no citation."""

    def __init__(self, contents: Mapping[str, object], given: str = "") -> None:
        self._contents: dict[str, list[object]] = {}
        for name, content in contents.items():
            # What a tool made beside its result (`E4.2/table.md`) is part of that observation.
            self._contents.setdefault(name.split("/", 1)[0].upper(), []).append(content)
        self._indexes: dict[Refs, Index] = {}
        self.given = Index.of(given)

    def known(self, refs: Iterable[str]) -> Refs:
        """Those of the observations that there are."""
        return tuple(ref for ref in refs if ref in self._contents)

    def contents(self, refs: Refs) -> Iterator[object]:
        """The contents of these observations as they were given."""
        return (content for ref in refs for content in self._contents[ref])

    def names(self) -> Refs:
        """The numbers of all observations."""
        return tuple(self._contents)

    def index(self, refs: Refs) -> Index:
        """What these observations contain together."""
        if refs not in self._indexes:
            if len(refs) == 1:
                made = merged(one if isinstance(one, Index) else Index.of(one) for one in self._contents[refs[0]])
            else:
                made = merged(self.index((ref,)) for ref in refs)
            self._indexes[refs] = made
        return self._indexes[refs]

    def having(self, figure: Figure) -> Iterator[str]:
        """The observations that have a figure's very value."""
        return (ref for ref in self._contents if is_exact(figure, self.index((ref,))))

    def all(self) -> Iterator[Index]:
        """Every index, what was given first."""
        yield self.given
        for ref in self._contents:
            yield self.index((ref,))

    def has_code(self, name: Name) -> bool:
        """True when an identifier stands somewhere, whatever its dashes and case."""
        sought = solid(name.written)
        return any(sought in index.codes or _stands_in(index.solid, sought) for index in self.all())

    def has_numbers(self, numbers: Iterable[int], indexes: Iterable[Index]) -> bool:
        """True when one index has all these whole numbers, as row numbers or as figures."""
        sought = set(numbers)
        return any(all(number in index.places or number in index.values for number in sought) for index in indexes)

    def has_year(self, year: int) -> bool:
        """True when a year is named or a date lies in it."""
        return any(year in index.years for index in self.all())

    def has_day(self, days: Iterable[Day]) -> bool:
        """True when one of these days is named, or is the first or last of a month in which a named day lies."""
        return any(day in self._days for day in days)

    @cached_property
    def _days(self) -> frozenset[Day]:
        named = {day for index in self.all() for day in index.days}
        found = named | {(0, month, day) for _, month, day in named} | {(year, month, 0) for year, month, _ in named}
        for year, month in {(year, month) for year, month, _ in named if year}:
            last = calendar.monthrange(year, month)[1]
            found |= {(year, month, 1), (year, month, last), (0, month, 1), (0, month, last)}
        return frozenset(found)


def _stands_in(text: str, sought: str) -> bool:
    """True when `sought` stands in a text and no further digits go on with it."""
    at = text.find(sought)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(sought) : at + len(sought) + 1]
        longer = (sought[0].isdigit() and before.isdigit()) or (sought[-1].isdigit() and after.isdigit())
        if not longer:
            return True
        at = text.find(sought, at + 1)
    return False
