"""Evidence supports a figure exactly, as a ratio in per cent, or rounded where that is written."""

from dataclasses import replace
from decimal import Decimal

import pytest

from orchestrator.domain.evidence.figures import Figure, scan
from orchestrator.domain.evidence.index import Index
from orchestrator.domain.evidence.support import Wording, is_exact, is_supported, nearest

PLAIN, ABOUT = Wording(), Wording(approximate=True)


def figure(text: str) -> Figure:
    """The one figure of a text."""
    [found] = scan(text).figures
    return found


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("1,234.50", 1234.5),
        ("1,234.50", "1234.5"),
        ("-5", "(5)"),
        ("12.3 %", 12.3),
        ("12.3 %", 0.123),
        ("0.123", "12.3 %"),
        ("12.3 thousand", 12300),
        ("12.3 thousand", "12.3 thousand"),
        ("12.3 thousand", {"head": "In thousands", "a": 12.3}),
        ("66.67", 66.66666666666667),
        ("0.30", 0.1 + 0.2),
    ],
)
def test_exact_support(text: str, content: object) -> None:
    """The very value, in whatever unit it is written; a binary fraction is as exact as it is written out."""
    assert is_exact(figure(text), Index.of(content))


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("1,234.51", 1234.5),
        ("5", "(5)"),
        ("-5", 5),
        ("12.4 %", 0.123),
        ("12.3 thousand", 12.3),
        ("12.3 thousand", 12_301),
        ("67", 66.66666666666667),
        ("1,234", 1235),
        ("12,300", 12_345),
    ],
)
def test_no_exact_support(text: str, content: object) -> None:
    """Another digit, sign, scale or rounding is another figure."""
    assert not is_exact(figure(text), Index.of(content))


@pytest.mark.parametrize(
    ("text", "content", "wording"),
    [
        ("12.3 thousand", 12_345, PLAIN),
        ("12.3 %", 0.12345, PLAIN),
        ("12.3", 12.345, ABOUT),
        ("12,300", 12_345, ABOUT),
        ("10.00", "-10.00", Wording(direction=True)),
        ("12.3", 0.123, Wording(percent=True)),
        ("12.3", 12_300, Wording(scale=3)),
    ],
)
def test_support_by_wording(text: str, content: object, wording: Wording) -> None:
    """A scale, a per cent, `about`, `a decrease of` and the head of a column say how a figure is meant."""
    assert is_supported(figure(text), Index.of(content), wording)


@pytest.mark.parametrize(
    ("text", "content", "wording"),
    [
        ("12.4 thousand", 12_345, PLAIN),
        ("12.4 %", 0.12345, PLAIN),
        ("12.3", 12.345, PLAIN),
        ("12.4", 12.345, ABOUT),
        ("12,400", 12_345, ABOUT),
        ("100", 149, ABOUT),
        ("-10.00", "10.00", Wording(direction=True)),
        ("10.00", "-10.00", PLAIN),
    ],
)
def test_no_support_by_wording(text: str, content: object, wording: Wording) -> None:
    """Nothing is rounded further than it is written, and a written sign is a sign."""
    assert not is_supported(figure(text), Index.of(content), wording)


@pytest.mark.parametrize(
    ("text", "content", "meant"),
    [
        ("1,234.57", ["1234.56", "1240.00"], "1234.56"),
        ("1,243.56", ["1234.56"], "1234.56"),
        ("-70", [70], "70"),
        ("7.00", "700", "700"),
        ("12,345", [1234], "1234"),
        ("105", [1000, 104.9], "104.9"),
        ("513 thousand", ["512345.67"], "512345.67"),
        ("105", [1000, 2000], None),
    ],
)
def test_the_nearest_value_is_the_likeliest_slip(text: str, content: object, meant: str | None) -> None:
    """One digit, two swapped, the sign, the mark, one digit too many; else what is close; else nothing."""
    assert nearest(figure(text), Index.of(content)) == (Decimal(meant) if meant else None)


def test_readings_are_tried_in_turn() -> None:
    """An ambiguous figure is supported by either of its readings, until the text's convention settles it."""
    ambiguous = figure("1.234")
    assert is_exact(ambiguous, Index.of(1234))
    assert is_exact(ambiguous, Index.of(1.234))
    settled = replace(ambiguous, readings=ambiguous.readings[1:])
    assert not is_exact(settled, Index.of(1234))
