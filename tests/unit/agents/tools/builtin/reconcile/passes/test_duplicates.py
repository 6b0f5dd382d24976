"""Doubles: one booking too many, on either side; what recurs or differs is none."""

from collections.abc import Callable

from agents.tools.builtin.reconcile.entries import Entry
from agents.tools.builtin.reconcile.looking import Seen
from agents.tools.builtin.reconcile.passes.duplicate_party import duplicate_party
from agents.tools.builtin.reconcile.passes.duplicate_reference import duplicate_reference
from agents.tools.builtin.reconcile.state import Found

Book = Callable[..., Entry]
Run = Callable[..., Found]
Look = Callable[..., Seen]


def test_the_double_of_a_linked_booking(book: Book, look_at: Look) -> None:
    """One is linked, the other told with its twin, on whichever side it stands."""
    once, twice = [book(1, "100", "INV10001")], [book(1, "100", "INV10001", day=3), book(2, "100", "INV10001", day=2)]
    for left, right, side in ((once, twice, "right"), (twice, once, "left")):
        seen = look_at(left, right, "reference", "duplicate_reference")
        assert len(seen.links) == 1
        (twin,) = seen.twins
        assert (twin.side, twin.row, twin.twin) == (side, 1, 2)


def test_two_open_doubles_leave_one_open(book: Book, run: Run) -> None:
    """Booked twice and never paid: the later one is the double, the other is still missing across."""
    found = run(duplicate_reference, [book(1, "100", "INV10001", day=2), book(2, "100", "INV10001", day=1)], [])
    assert [(twin.row, twin.twin) for twin in found.twins] == [(1, 2)]


def test_three_of_a_kind_are_two_doubles(book: Book, run: Run) -> None:
    """Each double has a twin that stays."""
    found = run(duplicate_reference, [book(row, "100", "INV10001", day=row) for row in (1, 2, 3)], [])
    assert [(twin.row, twin.twin) for twin in found.twins] == [(3, 2), (2, 1)]


def test_what_is_no_double(book: Book, run: Run) -> None:
    """Another amount, another reference, another currency, or a month between them."""
    first = book(1, "100", "INV10001")
    for other in (
        book(2, "101", "INV10001"),
        book(2, "100", "INV10002"),
        book(2, "100", "INV10001", currency="USD"),
        book(2, "100", "INV10001", day=31),
    ):
        assert run(duplicate_reference, [first, other], []).twins == ()


def test_without_reference_party_and_days_decide(book: Book, run: Run) -> None:
    """The same party, cut or not, within a few days; a nameless booking is nobody's double."""
    first = book(1, "100", day=1)
    assert len(run(duplicate_party, [], [first, book(2, "100", day=2, party="ACME TOO.")]).twins) == 1
    assert run(duplicate_party, [], [first, book(2, "100", day=9)]).twins == ()
    assert run(duplicate_party, [], [first, book(2, "100", day=2, party="Kestrel Air")]).twins == ()
    assert run(duplicate_party, [], [book(1, "100", party=""), book(2, "100", party="")]).twins == ()
    assert run(duplicate_party, [], [first, book(2, "100", "INV10001")]).twins == ()
