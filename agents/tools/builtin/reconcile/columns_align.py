"""Brings two sides to one sign and one set of currency names, by what their bookings have in common."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from agents.tools.builtin.reconcile.entries import UNNAMED_CURRENCY, Entry, Side
from agents.tools.builtin.tables.currencies import SHARED_SIGNS

_ENOUGH = 3


def align(left: Side, right: Side) -> tuple[Side, Side, tuple[str, ...]]:
    """Both sides in the right side's sign, with comparable currencies and references; and what was assumed."""
    left, right, signs_said = _with_one_sign(left, right)
    left, right, currencies_said = _with_named_currencies(left, right)
    left, right = _with_shared_references(left, right), _with_shared_references(right, left)
    return left, right, (*signs_said, *currencies_said)


def _map(side: Side, change: Callable[[Entry], Entry]) -> Side:
    return replace(side, entries=tuple(change(entry) for entry in side.entries))


def _with_one_sign(left: Side, right: Side) -> tuple[Side, Side, list[str]]:
    same, opposite = _votes(left, right)
    if same + opposite < _ENOUGH:
        signs = (_majority_sign(left), _majority_sign(right))
        if signs[0] * signs[1] >= 0:
            return left, right, []
        said = f"`{left.name}` counts with the opposite sign of `{right.name}`, by the sign of most amounts."
    elif opposite > same:
        said = f"`{left.name}` counts with the opposite sign of `{right.name}` ({opposite} equal amounts show it)."
    else:
        return left, right, []
    turned = _map(left, lambda entry: replace(entry, amount=-entry.amount if entry.amount else entry.amount))
    return turned, right, [f"{said} Its amounts are turned to the right side's sign."]


def _votes(left: Side, right: Side) -> tuple[int, int]:
    """How many bookings that are surely the same have the same, and the opposite, sign."""
    pairs = list(_pairs_by(left, right, lambda entry: entry.references))
    equal = [(one, other) for one, other in pairs if abs(one.amount) == abs(other.amount)]
    if len(equal) < _ENOUGH:
        equal = list(_pairs_by(left, right, lambda entry: (str(abs(entry.amount).normalize()),)))
    same = sum(1 for one, other in equal if one.amount == other.amount and one.amount)
    opposite = sum(1 for one, other in equal if one.amount == -other.amount and one.amount)
    return same, opposite


def _pairs_by(left: Side, right: Side, keys: Callable[[Entry], Iterable[str]]) -> Iterable[tuple[Entry, Entry]]:
    """Pairs that share a key which stands once on each side."""
    lefts, rights = _single(left, keys), _single(right, keys)
    return ((lefts[key], rights[key]) for key in lefts.keys() & rights.keys())


def _single(side: Side, keys: Callable[[Entry], Iterable[str]]) -> dict[str, Entry]:
    found: dict[str, list[Entry]] = defaultdict(list)
    for entry in side.entries:
        for key in keys(entry):
            found[key].append(entry)
    return {key: some[0] for key, some in found.items() if len(some) == 1}


def _majority_sign(side: Side) -> int:
    minus = sum(1 for entry in side.entries if entry.amount < 0)
    plus = sum(1 for entry in side.entries if entry.amount > 0)
    # A side with many of both signs (a mixed account) shows nothing.
    if minus * 10 >= 9 * (plus + minus) and minus:
        return -1
    return 1 if plus * 10 >= 9 * (plus + minus) and plus else 0


def _with_named_currencies(left: Side, right: Side) -> tuple[Side, Side, list[str]]:
    notes: list[str] = []
    left, right = _without_signs(left, right, notes), _without_signs(right, left, notes)
    for side, other in ((left, right), (right, left)):
        names, others = _names(side), _names(other)
        if UNNAMED_CURRENCY not in names:
            continue
        candidates = (names | others) - {UNNAMED_CURRENCY}
        if len(candidates) == 1:
            name = candidates.pop()
            notes.append(f"`{side.name}` names no currency; its amounts count as {name}, like those of `{other.name}`.")
            filled = _map(side, lambda entry, name=name: _named(entry, name))
        elif candidates:
            filled = _from_partners(side, other, notes)
        else:
            continue
        left, right = (filled, right) if side is left else (left, filled)
    return left, right, notes


def _names(side: Side) -> set[str]:
    return {entry.currency for entry in side.entries}


def _named(entry: Entry, name: str) -> Entry:
    return replace(entry, currency=name) if entry.currency == UNNAMED_CURRENCY else entry


def _without_signs(side: Side, other: Side, notes: list[str]) -> Side:
    """Give signs that several currencies share (`$`, `¥`, `kr`) the code the two tables speak for."""
    codes = {sign: _meant(sign, side, other) for sign in sorted(_names(side)) if sign in SHARED_SIGNS}
    for sign, code in codes.items():
        notes.append(f"`{sign}` in `{side.name}` is taken as {code}.")
    return (
        _map(side, lambda entry: replace(entry, currency=codes.get(entry.currency, entry.currency))) if codes else side
    )


def _meant(sign: str, side: Side, other: Side) -> str:
    possible = SHARED_SIGNS[sign]
    named = [code for code in possible if code in _names(side) | _names(other)]
    if len(named) == 1:
        return named[0]
    if sign == "¥" and all(entry.amount == entry.amount.to_integral_value() for entry in side.entries):
        return "JPY"  # the yen has no cents
    return possible[0]


def _from_partners(side: Side, other: Side, notes: list[str]) -> Side:
    """The other table names several currencies: each booking takes that of its partner, where there is one."""
    codes: dict[int, str] = {}
    for keys in (_amount_key, _reference_key):
        codes.update({mine.row: theirs.currency for mine, theirs in _pairs_by(side, other, keys)})
    rest = sum(1 for entry in side.entries if entry.currency == UNNAMED_CURRENCY and entry.row not in codes)
    notes.append(
        f"`{side.name}` names no currency; {len(codes)} bookings take that of their partner in `{other.name}`"
        + (f", {rest} stay without one." if rest else ".")
    )
    return _map(side, lambda entry: _named(entry, codes.get(entry.row, UNNAMED_CURRENCY)))


def _amount_key(entry: Entry) -> tuple[str, ...]:
    return (str(abs(entry.amount).normalize()),) if entry.amount else ()


def _reference_key(entry: Entry) -> tuple[str, ...]:
    return entry.references


def _with_shared_references(side: Side, other: Side) -> Side:
    """References that the other side knows come first; a bare number takes the spelling it has there."""
    theirs = Counter(key for entry in other.entries for key in set(entry.references))
    spelled = _spellings(theirs)
    return _map(side, lambda entry: replace(entry, references=_ranked(entry.references, theirs, spelled)))


def _spellings(keys: Iterable[str]) -> dict[str, str]:
    """Bare number → the one reference that ends with it (`20268357` → `INV20268357`)."""
    found: dict[str, set[str]] = defaultdict(set)
    for key in keys:
        digits = key.lstrip("".join(char for char in set(key) if not char.isdigit()))
        if digits.isdigit() and digits != key:
            found[digits].add(key)
    return {digits: some.pop() for digits, some in found.items() if len(some) == 1}


def _ranked(references: tuple[str, ...], theirs: Mapping[str, int], spelled: Mapping[str, str]) -> tuple[str, ...]:
    same = [spelled[key] if key not in theirs and key in spelled else key for key in references]
    shared = [key for key in same if key in theirs]
    return tuple(dict.fromkeys((*shared, *same)))
