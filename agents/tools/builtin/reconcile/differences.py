"""What may explain that two bookings which belong together differ in amount: from rounding to swapped digits."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Final, Literal

DifferenceKind = Literal[
    "rounding",
    "repeated",
    "discount",
    "swapped_digits",
    "fee",
    "tariff",
    "share",
    "tax",
    "decimal_point",
    "sign",
    "typo",
    "open",
]

_CENT: Final = Decimal("0.01")
_SMALL: Final = Decimal("1.00")
_FEE: Final = Decimal("50.00")
_SMALL_FEE: Final = Decimal("15.00")
_FEE_STEP: Final = Decimal("0.50")
_FEE_SHARE: Final = Decimal("0.10")
_MISTYPED: Final = Decimal("100.00")
_MISTYPED_SHARE: Final = Decimal("0.10")
_SHARE: Final = Decimal("0.035")
_SHARE_FIXED: Final = Decimal("0.50")
_DISCOUNTS: Final = tuple(Decimal(percent) for percent in ("1", "1.5", "2", "2.5", "3", "4", "5", "10"))
_TARIFFS: Final = tuple(
    (Decimal(percent), Decimal(fixed))
    for percent, fixed in (
        *(("1.2", "0.20"), ("1.4", "0.20"), ("1.4", "0.25"), ("1.5", "0.20"), ("1.5", "0.25"), ("1.9", "0.35")),
        *(("2.49", "0.35"), ("2.5", "0.25"), ("2.6", "0.10"), ("2.7", "0.30"), ("2.9", "0.25"), ("2.9", "0.30")),
        *(("2.99", "0.39"), ("2.99", "0.49"), ("3.4", "0.35"), ("3.49", "0.49")),
    )
)
"""What card and wallet services take of a payment: a share and a fixed amount."""
_TAXES: Final = tuple(
    Decimal(percent)
    for percent in ("5", "5.5", "7", "7.7", "8", "8.1", "9", "10", "13", "19", "20", "21", "22", "23", "25")
)
_TYPO_SHARE: Final = Decimal("0.25")


@dataclass(frozen=True, slots=True)
class Reason:
    """Why two amounts differ. `open`: nothing known explains it, a person has to say."""

    kind: DifferenceKind
    text: str

    @property
    def known(self) -> bool:
        """Whether a rule explains the difference."""
        return self.kind != "open"


def money(value: Decimal) -> str:
    """A decimal as text, exact, with at least two decimals and never an exponent."""
    exponent = value.as_tuple().exponent
    if isinstance(exponent, int) and exponent > -2:
        value = value.quantize(_CENT) if abs(value) < Decimal(10) ** 25 else value
    text = format(value, "f")
    whole, _, decimals = text.partition(".")
    return f"{whole}.{decimals.rstrip('0').ljust(2, '0')}"


@dataclass(frozen=True, slots=True)
class _Gap:
    """Two amounts of one sign, without it, and how far they are apart."""

    larger: Decimal
    smaller: Decimal
    off: Decimal
    repeated: Collection[Decimal]


def _discount(gap: _Gap) -> Reason | None:
    for percent in _DISCOUNTS:
        if (gap.larger * percent / 100).quantize(_CENT, ROUND_HALF_UP) == gap.off:
            return Reason("discount", f"off by {money(gap.off)}, {percent} % of {money(gap.larger)}: a cash discount")
    return None


def _repeated(gap: _Gap) -> Reason | None:
    if gap.off in gap.repeated and gap.off < gap.larger / 2:
        return Reason("repeated", f"off by {money(gap.off)}, as in other bookings here: a fixed fee or deduction")
    return None


def _fee(gap: _Gap) -> Reason | None:
    small = gap.off <= _SMALL_FEE and gap.off <= gap.larger / 2
    if gap.off % _FEE_STEP == 0 and (small or gap.off <= min(_FEE, gap.larger * _FEE_SHARE)):
        return Reason("fee", f"off by {money(gap.off)}: a bank fee or charge taken from the payment")
    return None


def _swapped(gap: _Gap) -> Reason | None:
    if swapped_digits(gap.larger, gap.smaller):
        return Reason("swapped_digits", f"off by {money(gap.off)}: two digits of the amount are swapped")
    if gap.off <= max(_MISTYPED, gap.larger * _MISTYPED_SHARE) and typical_of_swapped_digits(gap.off):
        text = f"off by {money(gap.off)}, nine times a round figure: mistyped or swapped digits"
        return Reason("swapped_digits", text)
    return None


def _tariff(gap: _Gap) -> Reason | None:
    for percent, fixed in _TARIFFS:
        if (gap.larger * percent / 100 + fixed).quantize(_CENT, ROUND_HALF_UP) == gap.off:
            text = (
                f"off by {money(gap.off)}, {percent} % of {money(gap.larger)} and {money(fixed)}: a card or wallet fee"
            )
            return Reason("tariff", text)
    return None


def _share(gap: _Gap) -> Reason | None:
    if gap.off > gap.larger * _SHARE + _SHARE_FIXED or gap.off > gap.larger / 2:
        return None
    text = f"off by {money(gap.off)}, a small share of {money(gap.larger)}: a processor's fee or a discount"
    return Reason("share", text)


def _tax(gap: _Gap) -> Reason | None:
    for percent in _TAXES:
        if (gap.smaller * percent / 100).quantize(_CENT, ROUND_HALF_UP) == gap.off:
            return Reason("tax", f"off by {money(gap.off)}, {percent} % of {money(gap.smaller)}: net against gross")
    return None


def _decimal_point(gap: _Gap) -> Reason | None:
    if gap.larger in (gap.smaller * 10, gap.smaller * 100, gap.smaller * 1000):
        return Reason("decimal_point", "the same digits with the decimal point elsewhere: mistyped")
    return None


def _typo(gap: _Gap) -> Reason | None:
    if gap.off <= gap.larger * _TYPO_SHARE and _one_digit_differs(gap.larger, gap.smaller):
        return Reason("typo", f"off by {money(gap.off)}: one digit of the amount differs, mistyped")
    return None


_RULES: Final[tuple[Callable[[_Gap], Reason | None], ...]] = (
    _discount,
    _repeated,
    _fee,
    _swapped,
    _tariff,
    _share,
    _tax,
    _decimal_point,
    _typo,
)


def reason_of(left: Decimal, right: Decimal, repeated: Collection[Decimal] = ()) -> Reason:
    """The most likely reason why `left` and `right`, which differ, do; the same whichever way round.

    `repeated` holds the differences (absolute) that occur in many linked bookings.
    """
    off = abs(left - right)
    gap = _Gap(max(abs(left), abs(right)), min(abs(left), abs(right)), off, repeated)
    if left == -right:
        return Reason("sign", "same amount with the opposite sign: a reversal, or booked the wrong way round")
    if off <= _SMALL and off < gap.larger / 2:
        return Reason("rounding", f"off by {money(off)}: rounding, or a small difference taken off")
    rules = _RULES if left * right > 0 else ()
    return next((reason for rule in rules if (reason := rule(gap))), _open(off))


def _open(off: Decimal) -> Reason:
    return Reason("open", f"off by {money(off)}, and no rule explains it")


def typical_of_swapped_digits(off: Decimal) -> bool:
    """Whether a difference is 9, 18, … 81 times a power of ten in the smallest unit, as swapped neighbours leave it."""
    units = off * 100
    if units != units.to_integral_value() or units < 90:
        return False
    digits = int(units)
    while digits % 10 == 0:
        digits //= 10
    return digits % 9 == 0 and digits <= 81


def swapped_digits(one: Decimal, other: Decimal) -> bool:
    """Whether exactly two neighbouring digits change places between the amounts."""
    a, b = money(one), money(other)
    if len(a) != len(b):
        return False
    differing = [at for at in range(len(a)) if a[at] != b[at]]
    if len(differing) != 2:
        return False
    first, second = differing
    neighbours = second - first == 1 or a[first + 1 : second] == "."
    return neighbours and a[first] == b[second] and a[second] == b[first]


def _one_digit_differs(one: Decimal, other: Decimal) -> bool:
    a, b = money(one), money(other)
    return len(a) == len(b) and sum(x != y for x, y in zip(a, b, strict=True)) == 1
