"""Decides whether a figure follows from evidence by the calculation that is said to give it."""

from orchestrator.domain.evidence.calculation import calculations
from orchestrator.domain.evidence.figures import scan
from orchestrator.domain.evidence.index import Index
from orchestrator.domain.evidence.support import has_size


def supports(figure: str, calculation: str, index: Index) -> bool:
    """True when the operands stand in the evidence, with or without their signs, and the calculation gives the figure
    as it is rounded. Both are written as in a report (`-28.46 %`, `(1,258 + 1,264) / 2`), without a scale they share.
    """
    text = f"{calculation.strip()} = {figure.strip()}"
    read = scan(text)
    found = next(calculations(read.rest, read.figures, 0, len(text)), None)
    if found is None or found.result is not read.figures[-1] or not found.holds():
        return False
    free = found.constants()
    return all(has_size(operand, index) for position, operand in enumerate(found.operands) if position not in free)
