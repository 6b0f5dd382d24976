"""Writes the sentences that tell a composer what is wrong with a figure, a quote or a citation, and what to write."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from orchestrator.domain.evidence.citations import Refs
from orchestrator.domain.evidence.figures import Figure
from orchestrator.domain.evidence.index import Index
from orchestrator.domain.evidence.numerals import written_like
from orchestrator.domain.evidence.support import nearest

_MOST_NAMED = 5
_MOST_SHOWN = 80
_PLACES = Decimal("0.000001")


def uncited(written: str, having: Sequence[str]) -> str:
    """For a figure or quote that no citation governs."""
    if having:
        return f"{written} has no citation. {having[0]} has it: end the line with [{having[0]}]."
    return f"{written} has no citation and no observation has it. Leave it out, or have it computed and cite that."


def not_found(written: str, refs: Refs, having: Sequence[str], figure: Figure, index: Index) -> str:
    """For a figure that the observations cited do not have."""
    where = _listed(refs)
    if having:
        return f"{written} is not in {where}. {having[0]} has it: cite [{having[0]}]."
    close = nearest(figure, index)
    if close is not None:
        shown = written_like(close, figure.run)
        return f"{written} is not in {where}; the evidence has {shown}. Write that, or leave it out."
    value = figure.readings[0].value
    if value in index.places:
        return f"{written} stands in {where} only as a row number: write `row {figure.run}`, or leave it out."
    return f"{written} is not in {where}, nor anything near it. Cite the observation that has it, or leave it out."


def changed(written: str, original: str, source: str) -> str:
    """For a number in a line that was taken from a tool's text and changed."""
    return f"{source} says {original} in this line, not {written}. Take the line over as it is."


def not_in_record(written: str, refs: Refs, other: Decimal, figure: Figure) -> str:
    """For a figure that stands elsewhere in the evidence, but not in the record of what its row names."""
    shown = written_like(other, figure.run)
    return f"{written} is not what {_listed(refs)} has for this; there it is {shown}. Write that, or leave it out."


def unknown_name(written: str, refs: Refs = ()) -> str:
    """For a code, date, year or row number that the evidence does not have."""
    where = _listed(refs) if refs else "any observation, nor in the goal"
    return f"`{written}` is not in {where}. Write it as the evidence has it, or leave it out."


def unknown_citation(ref: str, known: Sequence[str]) -> str:
    """For a citation of an observation that there is not."""
    named = f"Known: {_listed(known)}." if known else "There are none."
    return f"[{ref}] names no observation of this run. {named}"


def left_include(written: str) -> str:
    """For an include that was not taken in."""
    return f"{written} was not taken in: put `{{{{E4.2/file}}}}` on a line of its own and name a file that a tool made."


def missing_include(name: str, known: Sequence[str]) -> str:
    """For an include of a file that there is not."""
    named = f"Known: {_listed(known)}." if known else "There are none."
    return f"`{{{{{name}}}}}` names no file that a tool made. {named}"


def wrong_calculation(said: str, written: str, outcome: Fraction | None, figure: Figure) -> str:
    """For a calculation that does not come to what it says."""
    if outcome is None:
        return f"{said} has no result, so not {written} either. Leave it out."
    return f"{said} is {_shown(outcome, figure)}, not {written}. Correct the result, or the figures it is made from."


def wrong_total(written: str, outcome: Decimal, figure: Figure) -> str:
    """For a total row that is not the sum of the rows above it."""
    return (
        f"The rows above add up to {written_like(outcome, figure.run)}, not {written}. Correct the total, or the rows."
    )


def misquoted(words: str, refs: Refs) -> str:
    """For a quote that the evidence does not say."""
    shown = words if len(words) <= _MOST_SHOWN else words[:_MOST_SHOWN] + "…"
    return f'"{shown}" is not said in {_listed(refs)} in these words. Quote literally, or write it without the marks.'


def _shown(outcome: Fraction, figure: Figure) -> str:
    value = Decimal(outcome.numerator) / Decimal(outcome.denominator)
    decimals = max(figure.readings[0].decimals, 0)
    if Fraction(value) != outcome or figure.percent:
        value = value.quantize(min(Decimal(1).scaleb(-decimals), Decimal("0.01")))
    return written_like(value, figure.run) + (" %" if figure.percent else "")


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_MOST_NAMED])
    return shown + (f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else "")
