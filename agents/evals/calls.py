"""Judges the calls of a trial: the expected ones in order or in any, no forbidden ones."""

from collections.abc import Iterator, Mapping, Sequence

from agents.evals.case import Expected, ExpectedCall
from agents.evals.likeness import is_like
from agents.evals.trial import MadeCall

_MOST_TOLD = 12


def call_faults(expected: Expected, made: Sequence[MadeCall]) -> Iterator[str]:
    """What is wrong with the calls, in sentences."""
    pairs = _in_order(expected.calls, made) if expected.order == "given" else _in_any_order(expected.calls, made)
    for position, call in enumerate(expected.calls):
        if position not in pairs:
            after = f" after {_told(expected.calls[position - 1])}" if expected.order == "given" and position else ""
            yield f"No call {_told(call)}{after}; made were {_listed(made)}."
            if expected.order == "given":
                return  # what comes after the missing call cannot be in its place either
    if expected.only:
        extra = [call for position, call in enumerate(made) if position not in set(pairs.values())]
        if extra:
            yield f"Calls that were not expected: {_listed(extra)}."
    for forbidden in expected.forbidden:
        if found := next((call for call in made if _fits(forbidden, call)), None):
            yield f"{found} was called, which it must not be."


def _in_order(expected: Sequence[ExpectedCall], made: Sequence[MadeCall]) -> dict[int, int]:
    """Expected call → made call, each after the one before."""
    pairs: dict[int, int] = {}
    at = 0
    for position, call in enumerate(expected):
        found = next((number for number in range(at, len(made)) if _fits(call, made[number])), None)
        if found is None:
            return pairs
        pairs[position], at = found, found + 1
    return pairs


def _in_any_order(expected: Sequence[ExpectedCall], made: Sequence[MadeCall]) -> dict[int, int]:
    """Expected call → made call, each made call for one only, as many as can be."""
    taken: dict[int, int] = {}
    for position in range(len(expected)):
        _place(position, expected, made, taken, set())
    return {position: number for number, position in taken.items()}


def _place(
    position: int, expected: Sequence[ExpectedCall], made: Sequence[MadeCall], taken: dict[int, int], tried: set[int]
) -> bool:
    """Find a made call for an expected one; whoever has it may be moved to another that fits as well."""
    for number, call in enumerate(made):
        if number in tried or not _fits(expected[position], call):
            continue
        tried.add(number)
        if number not in taken or _place(taken[number], expected, made, taken, tried):
            taken[number] = position
            return True
    return False


def _fits(expected: ExpectedCall, made: MadeCall) -> bool:
    if expected.tool != made.tool or (expected.agent is not None and expected.agent != made.agent):
        return False
    if expected.ok is not None and expected.ok is not made.ok:
        return False
    arguments: Mapping[str, object] = made.arguments
    return is_like(expected.arguments, arguments)


def _told(call: ExpectedCall) -> str:
    given = ", ".join(f"{name}={value!r}" for name, value in call.arguments.items())
    how = "" if call.ok is None else " that succeeds" if call.ok else " that fails"
    return f"`{call.tool}({given})`{how}" + (f" of {call.agent}" if call.agent else "")


def _listed(made: Sequence[MadeCall]) -> str:
    told = [str(call) for call in made[:_MOST_TOLD]]
    more = f" and {len(made) - _MOST_TOLD} more" if len(made) > _MOST_TOLD else ""
    return ", ".join(told) + more if told else "none"
