"""Figures are taken off a page with their sentence or their row, and compared as they are rounded."""

from decimal import Decimal

import pytest

from agents.teams.factcheck.figures import Found, agree, figures_of, stands_in

PAGE = """# Halmora 2

Halmora has 41 million parameters. On LakeQA it reaches an exact match of 87.3 %; without its second stage 85.1 %.

| Method | LakeQA exact match | Milliseconds |
| --- | --- | --- |
| **Halmora** | 87.3 % | 12 |
| OldMora | 79.9 | 8 |

See [E4.2] and BLEU-4.
"""


def test_figures_of_prose() -> None:
    """Each with its own sentence, letter by letter."""
    found = [one for one in figures_of(PAGE) if not one.column]
    assert [(one.written, one.value, one.percent) for one in found] == [
        ("2", Decimal(2), False),
        ("41 million", Decimal(41), False),
        ("87.3 %", Decimal("87.3"), True),
        ("85.1 %", Decimal("85.1"), True),
    ]
    assert found[1].sentence == "Halmora has 41 million parameters."
    assert found[2].sentence.startswith("On LakeQA it reaches")


def test_figures_of_a_table() -> None:
    """Each with its row and the head of its column."""
    found = [one for one in figures_of(PAGE) if one.column]
    assert found[0] == Found(
        written="87.3 %",
        value=Decimal("87.3"),
        percent=True,
        sentence="| **Halmora** | 87.3 % | 12 |",
        column="LakeQA exact match",
        row="Halmora",
    )
    assert [(one.row, one.column, one.written) for one in found[1:]] == [
        ("Halmora", "Milliseconds", "12"),
        ("OldMora", "LakeQA exact match", "79.9"),
        ("OldMora", "Milliseconds", "8"),
    ]


def test_words_around_a_figure() -> None:
    """The sentence and the head of the column count, whatever the case."""
    found = next(one for one in figures_of(PAGE) if one.column == "LakeQA exact match")
    assert found.words(["halmora", "lakeqa", "Exact Match", "Fernwood"]) == 3


@pytest.mark.parametrize(
    ("claimed", "found"),
    [
        ("87.3 %", "87.3 %"),
        ("87 %", "87.3 %"),
        ("87.3 %", "87.34"),
        ("87.3 %", "0.873"),
        ("0.87", "87.3 %"),
        ("1,250", "1250.00"),
        ("5.4 cm", "5.4"),
        ("1.2 million", "1,200,000"),
    ],
)
def test_figures_agree(claimed: str, found: str) -> None:
    """Rounded as the claim is, as a share or in per cent, with or without their unit."""
    assert agree(claimed, found)


@pytest.mark.parametrize(
    ("claimed", "found"),
    [
        ("87.3 %", "78.3 %"),
        ("87.3 %", "87 %"),
        ("87.3", "0.873"),
        ("5", "-5"),
        ("1.2 million", "1.2"),
        ("87.3 %", "88"),
    ],
)
def test_figures_differ(claimed: str, found: str) -> None:
    """Another value, a coarser one, another sign or scale."""
    assert not agree(claimed, found)


@pytest.mark.parametrize(
    ("figure", "text", "does"),
    [
        ("87.3 %", "It reaches 87.3 % on LakeQA.", True),
        ("87.3", "It reaches 87.3 % on LakeQA.", True),
        ("5 %", "between 3–5 % of all", True),
        ("7.3 %", "It reaches 87.3 % on LakeQA.", False),
        ("87", "It reaches 87.3 % on LakeQA.", False),
        ("5", "a loss of -5 points", False),
        ("1.2", "1.2 million people", False),
        ("87.30 %", "It reaches 87.3 % on LakeQA.", False),
    ],
)
def test_a_part_of_a_figure_is_another_one(figure: str, text: str, does: bool) -> None:
    """Whole, with its sign and its scale, and as it is written."""
    assert stands_in(figure, text) is does
