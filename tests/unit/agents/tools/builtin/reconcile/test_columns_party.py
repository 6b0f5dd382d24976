"""The other party's name inside free text."""

from agents.tools.builtin.reconcile.columns_party import parties_in, plain_name

NAMES = [
    "Acme Tooling",
    "Cedar & Sons",
    "Bank of Harmony",
    "Société Lumière",
    "Kowalski S.A.",
    "Hotel 21",
    "Jasper Te.",
]


def test_words_of_every_row_are_taken_out_whatever_they_are() -> None:
    """The form is known by its frequency, in any language."""
    texts = [f"XYZZY {name} plugh INV-{1000 + row} frobnicated" for row, name in enumerate(NAMES * 3)]
    assert parties_in(texts) == NAMES * 3


def test_words_of_payment_are_taken_off_the_ends_only() -> None:
    """Too few rows for a frequency: the list of common words helps, and a name keeps its `of`."""
    assert parties_in(
        ["Payment from Bank of Harmony for invoice 20260001", "Überweisung an Acme Tooling RG20260002"]
    ) == [
        "Bank of Harmony",
        "Acme Tooling",
    ]


def test_a_large_customer_keeps_its_name() -> None:
    """Half of the rows name it, but always beside the same few words."""
    texts = [f"FROM {'Acme Tooling' if row % 2 else NAMES[row % len(NAMES)]} REF INV-{1000 + row}" for row in range(40)]
    assert parties_in(texts)[1::2] == ["Acme Tooling"] * 20


def test_words_that_stick_to_the_name_are_taken_off_where_no_blanks_are_written() -> None:
    """Chinese texts run on."""
    names = ["北京云帆科技", "南京紫金医药", "广州南粤食品", "武汉长江机械", "杭州西湖纺织"]
    assert parties_in([f"本月结算{name}INV-{20260000 + row}" for row, name in enumerate(names)]) == names


def test_a_text_of_nothing_but_codes_names_nobody() -> None:
    """Empty is the honest answer."""
    assert parties_in(["INV-20260001", "Payment INV-20260002", ""]) == ["", "", ""]


def test_a_name_is_kept_as_written() -> None:
    """Only width and blanks are made even."""
    assert plain_name("  ＡＣＭＥ   Tooling ") == "ACME Tooling"
