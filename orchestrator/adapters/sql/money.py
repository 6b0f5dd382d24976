"""Money in columns: whole picodollars."""

from decimal import Decimal, InvalidOperation

from orchestrator.errors import DefectError


def picodollars(cost: str | None) -> int | None:
    """A cost in dollars, as a step tells it, in picodollars."""
    if cost is None:
        return None
    try:
        return int(Decimal(cost).scaleb(12).to_integral_value())
    except (InvalidOperation, ValueError, OverflowError):
        raise DefectError(f"the cost `{cost}` of a step is no number") from None
