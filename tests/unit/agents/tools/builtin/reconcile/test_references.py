"""References across the sides: equal, spelled differently, in a sentence; and references that say nothing."""

from datetime import date
from decimal import Decimal

from agents.tools.builtin.reconcile.entries import Entry
from agents.tools.builtin.reconcile.references import ReferenceIndex, contradict


def entry(row: int, *references: str, text: str = "") -> Entry:
    return Entry(row, Decimal(1), "EUR", date(2026, 3, 1), references, "", text)


def test_equal_references_are_partners() -> None:
    """Both ways, each once."""
    index = ReferenceIndex([entry(1, "INV10001", "X9")], [entry(7, "X9", "INV10001"), entry(8, "INV10002")])
    assert index.own_partners("left", 1) == [7]
    assert index.own_partners("right", 7) == [1]
    assert index.partners("right", 8) == []


def test_the_number_in_a_reference_decides_where_the_spelling_differs() -> None:
    """Prefixes and leading zeros come and go; the number stays."""
    index = ReferenceIndex(
        [entry(1, "INV20260822")], [entry(2, "20260822"), entry(3, "RE0020260822"), entry(4, "2026082")]
    )
    assert index.own_partners("left", 1) == []
    assert index.partners("left", 1) == [2, 3]


def test_a_reference_is_found_in_the_text_of_the_other_side() -> None:
    """In one word, in several, in full width; never inside a longer number."""
    texts = ["payment inv-2026 0822 thanks", "ＩＮＶ－２０２６０８２２", "INV-202608229"]
    index = ReferenceIndex([entry(1, "INV20260822")], [entry(at, text=text) for at, text in enumerate(texts, start=1)])
    assert index.partners("left", 1) == [1, 2]


def test_text_alone_links_nothing() -> None:
    """Two sentences with the same word are no partners: one of them must carry it as a reference."""
    index = ReferenceIndex([entry(1, text="order 10001")], [entry(1, text="order 10001"), entry(2, "10001")])
    assert index.partners("left", 1) == [2]


def test_what_everybody_carries_is_no_reference() -> None:
    """An account number on all rows connects nothing, and costs no time."""
    rows = [entry(row, "DE4412345", f"INV{row + 10_000}") for row in range(1, 101)]
    index = ReferenceIndex(rows, rows)
    assert index.own_partners("left", 5) == [5]


def test_few_rows_make_a_reference_telling() -> None:
    """A customer number on five rows finds partners, but proves nothing by itself."""
    index = ReferenceIndex([entry(row, "CUST77") for row in range(1, 6)], [entry(9, "CUST77")])
    assert index.partners("right", 9) == [1, 2, 3, 4, 5]
    assert list(index.telling_partners("right", 9)) == []


def test_references_of_one_build_contradict() -> None:
    """Different invoice numbers are different bookings; a slip of one digit, or another numbering, is not."""
    assert contradict(entry(1, "INV20260822"), entry(2, "INV20267777"))
    assert not contradict(entry(1, "INV20260822"), entry(2, "INV20260823"))
    assert not contradict(entry(1, "INV20260822"), entry(2, "INV20268022"))
    assert not contradict(entry(1, "INV20260822"), entry(2, "TXN1"))
    assert not contradict(entry(1), entry(2, "INV20260822"))


def test_one_system_needs_many_shared_references() -> None:
    """Only where both sides number alike do different numbers mean different bookings."""
    left = [entry(row, f"INV{row + 10_000}") for row in range(1, 21)]
    assert ReferenceIndex(left, left).one_system
    assert not ReferenceIndex(left, [entry(row, f"INV{row + 70_000}") for row in range(1, 21)]).one_system
