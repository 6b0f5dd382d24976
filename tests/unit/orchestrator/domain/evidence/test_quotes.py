"""What a report quotes is said in the evidence in these words."""

import pytest

from orchestrator.domain.evidence import check

CONTENTS = {
    "E1.1": {"text": "The bank booked the fee\ntwice — by “mistake”, it says. We  apologise for 12.50."},
    "E2.1": {},
}


@pytest.mark.parametrize(
    "quote",
    [
        '"the bank booked the fee twice"',
        "“the bank booked the fee twice”",
        "„booked the fee twice - by“",
        "«booked the fee … it says»",
        '“twice – by "mistake", it says”',
        '"booked the **fee** twice"',
        '"We apologise for 12.50."',
        "「the bank booked the fee twice」",
    ],
)
def test_a_literal_quote_passes(quote: str) -> None:
    """Spaces, kinds of quotes and dashes, emphasis, case and words left out with dots do not matter."""
    assert check(f"It says {quote} [E1.1].", CONTENTS) == ()


@pytest.mark.parametrize(
    ("quote", "citation", "kind"),
    [
        ('"the bank booked the fee once"', "[E1.1]", "quote"),
        ('"the fee twice … the bank booked"', "[E1.1]", "quote"),
        ('"We apologise for 12.60."', "[E1.1]", "quote"),
        ('"the bank booked the fee twice"', "[E2.1]", "quote"),
        ('"the bank booked the fee twice"', "", "uncited"),
    ],
)
def test_a_quote_that_is_none_is_stopped(quote: str, citation: str, kind: str) -> None:
    """Other words, another order, another figure, another observation, none at all; one fault each."""
    [fault] = check(f"So:\n\nIt says {quote} {citation}.", CONTENTS)
    assert (fault.line, fault.kind) == (3, kind)


def test_few_words_in_marks_are_a_name() -> None:
    """Up to three words are not looked up."""
    assert check('The "other three words" it says, and “fee”.', CONTENTS) == ()


def test_the_goal_may_be_quoted() -> None:
    """What was given needs no citation."""
    assert check('Asked: "match the two tables".', {}, given="Please match the two tables.") == ()


def test_marks_do_not_pair_across_blocks() -> None:
    """A lone mark quotes nothing."""
    assert check('A 5" pipe is one\n\nand a 6" pipe another one here.', {"E1.1": [5, 6]}, given="5 6") == ()
