"""Whatever its value, a source's figure agrees with a claim exactly when the claim is that figure, rounded."""

from decimal import ROUND_HALF_UP, Decimal

from hypothesis import assume, given
from hypothesis import strategies as st

from agents.teams.factcheck.figures import agree

VALUES = st.decimals("0.001", "99999", places=3).filter(lambda value: value > 0)


@given(VALUES, st.integers(0, 3), st.sampled_from(["", " %", " cm"]))
def test_a_rounded_claim_agrees(value: Decimal, places: int, unit: str) -> None:
    """Rounded to any number of places, with any unit."""
    rounded = value.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    assert agree(f"{rounded}{unit}", f"{value}{unit}")


@given(VALUES, st.integers(0, 3), st.integers(-9, 9), st.sampled_from(["", " %", " cm"]))
def test_no_other_claim_does(value: Decimal, places: int, off: int, unit: str) -> None:
    """A claim agrees when the source is no more than half a step of the claim's last place away, and not otherwise."""
    step = Decimal(1).scaleb(-places)
    claimed = value.quantize(step, ROUND_HALF_UP) + off * step
    assume(claimed > 0)
    assert agree(f"{claimed}{unit}", f"{value}{unit}") == (abs(claimed - value) <= step / 2)


@given(VALUES)
def test_a_share_is_its_percentage(value: Decimal) -> None:
    """Either side may be written in per cent."""
    share = value.scaleb(-2)
    assert agree(f"{value} %", f"{share:f}")
    assert agree(f"{share:f}", f"{value} %")
