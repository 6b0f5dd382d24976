"""Passes without reference: amount and name, sums, other currencies, late payments, typical differences."""

from collections.abc import Callable
from dataclasses import replace

from agents.tools.builtin.reconcile.entries import Entry
from agents.tools.builtin.reconcile.looking import Seen
from agents.tools.builtin.reconcile.options import MatchOptions
from agents.tools.builtin.reconcile.passes.amount import amount
from agents.tools.builtin.reconcile.passes.amount_alone import amount_alone
from agents.tools.builtin.reconcile.passes.currency import currency
from agents.tools.builtin.reconcile.passes.late import late
from agents.tools.builtin.reconcile.passes.name_difference import name_difference
from agents.tools.builtin.reconcile.passes.possible_pair import possible_pair
from agents.tools.builtin.reconcile.passes.sum_group import sum_group
from agents.tools.builtin.reconcile.state import Found

Book = Callable[..., Entry]
Run = Callable[..., Found]
Look = Callable[..., Seen]


def linked(found: Found) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    return [(link.rows.left, link.rows.right) for link in found.links]


def test_amount_name_and_time_link(book: Book, run: Run) -> None:
    """Exact amount, similar name, usual delay with some slack; each of the three alone is not enough."""
    left = [book(1, "100", day=10)]
    assert linked(run(amount, left, [book(1, "100", day=12, party="ACME TOO.")])) == [((1,), (1,))]
    assert linked(run(amount, left, [book(1, "100", day=12, party="")])) == [((1,), (1,))]
    assert linked(run(amount, left, [book(1, "100", day=None)])) == [((1,), (1,))]
    assert linked(run(amount, left, [book(1, "100", day=16)])) == [((1,), (1,))]
    assert linked(run(amount, left, [book(1, "100", day=17)])) == []
    assert linked(run(amount, left, [book(1, "100", day=12, party="Kestrel Air")])) == []
    assert linked(run(amount, left, [book(1, "100.01", day=12)])) == []


def test_the_better_name_wins(book: Book, run: Run) -> None:
    """Two payments of one amount: each goes to its own party, whatever the order of the rows."""
    left = [book(1, "100", party="Acme Tooling"), book(2, "100", party="Acme Tools")]
    right = [book(1, "100", party="ACME TOOLS"), book(2, "100", party="ACME TOOLING")]
    assert linked(run(amount, left, right)) == [((1,), (2,)), ((2,), (1,))]


def test_equal_bookings_are_linked_in_time_order(book: Book, run: Run) -> None:
    """Two equal invoices and two equal payments leave no question."""
    left = [book(1, "100", "A1", day=4), book(2, "100", "A2", day=2)]
    right = [book(1, "100", day=5), book(2, "100", day=3)]
    found = run(amount, left, right)
    assert linked(found) == [((2,), (2,)), ((1,), (1,))]
    assert found.doubts == ()


def test_a_choice_that_no_rule_makes_is_a_doubt(book: Book, run: Run) -> None:
    """Two invoices and one payment: doubted, with both ways to link it, the likelier first."""
    found = run(amount, [book(1, "100", "A1001", day=0), book(2, "100", "A2002", day=2)], [book(1, "100", day=3)])
    assert found.links == ()
    (doubt,) = found.doubts
    assert (doubt.reason, doubt.rows) == ("tie", ((1, 2), (1,)))
    assert [[tuple(rows) for rows in option] for option in doubt.options] == [[((2,), (1,))], [((1,), (1,))]]


def test_a_rule_that_separates_leaves_no_doubt(book: Book, run: Run) -> None:
    """The usual delay separates, and so does the name."""
    by_time = run(amount, [book(1, "100", "A1001", day=3), book(2, "100", "A2002", day=9)], [book(1, "100", day=5)])
    assert (linked(by_time), by_time.doubts) == ([((1,), (1,))], ())
    named = [book(1, "100", "A1001"), book(2, "100", "A2002", party="Acne Toolings")]
    by_name = run(amount, named, [book(1, "100", party="ACME TOOLING")])
    assert (linked(by_name), by_name.doubts) == ([((1,), (1,))], ())


def test_a_double_is_no_doubt(book: Book, run: Run) -> None:
    """An invoice booked twice under one number competes with itself: linked once, the other is told later."""
    found = run(amount, [book(1, "100", "A1001", day=1), book(2, "100", "A1001", day=2)], [book(1, "100", day=2)])
    assert (len(found.links), found.doubts) == (1, ())


def test_one_price_sold_many_times_is_swept(book: Book, run: Run) -> None:
    """Hundreds of equal bookings a side are linked in time order without comparing all pairs."""
    left = [book(row, "9.99", day=row % 90) for row in range(1, 301)]
    right = [book(row, "9.99", day=(row % 90) + 1) for row in range(1, 301)]
    assert len(run(amount, left, right).links) == 300


def test_a_row_whose_reference_stands_across_is_not_given_away(book: Book, run: Run) -> None:
    """An amount alone does not take a payment from the invoice it names."""
    left = [book(1, "100", "INV10001"), book(2, "109", "INV10002")]
    assert linked(run(amount, left, [book(1, "100", "INV10002")])) == []


def test_bookings_of_one_party_that_add_up(book: Book, run: Run) -> None:
    """Both ways round; another party, another time or a cent more is no sum."""
    parts = [book(1, "1957.60", day=1), book(2, "6157.66", day=2), book(3, "3717.91", day=3)]
    assert linked(run(sum_group, parts, [book(1, "11833.17", day=4)])) == [((1, 2, 3), (1,))]
    assert linked(run(sum_group, [book(1, "11833.17", day=1)], parts)) == [((1,), (1, 2, 3))]
    assert linked(run(sum_group, parts, [book(1, "11833.18", day=4)])) == []
    assert linked(run(sum_group, parts, [book(1, "11833.17", day=40)])) == []
    assert linked(run(sum_group, parts, [book(1, "11833.17", day=4, party="Kestrel Air")])) == []


def test_the_takings_of_a_day_in_one_payment(book: Book, run: Run) -> None:
    """A payment without a name against all bookings of a day, however many they are."""
    left = [book(row, f"{row}.37", day=2, party=f"Guest {row}") for row in range(1, 31)]
    left += [book(40, "5000", day=4, party="Else")]
    assert linked(run(sum_group, left, [book(1, "476.10", day=3, party="")])) == [(tuple(range(1, 31)), (1,))]


def test_two_sums_are_a_doubt(book: Book, run: Run) -> None:
    """Where two sets of bookings make the amount, neither is taken."""
    left = [book(row, value) for row, value in enumerate(("600", "400", "700", "300"), 1)]
    found = run(sum_group, left, [book(1, "1000", day=2)])
    assert found.links == ()
    assert [option[0].left for option in found.doubts[0].options] == [(3, 4), (1, 2)]


def test_the_same_amount_in_another_currency(book: Book, run: Run) -> None:
    """One party, one amount, one time, two currencies; with two candidates nothing is linked."""
    left = [book(1, "100")]
    assert linked(run(currency, left, [book(1, "100", currency="USD")])) == [((1,), (1,))]
    assert linked(run(currency, left, [book(1, "100", currency="USD"), book(2, "100", currency="CHF")])) == []


def test_a_late_payment(book: Book, run: Run) -> None:
    """Weeks later, if it is the only one of that amount and party."""
    assert linked(run(late, [book(1, "100")], [book(1, "100", day=60)])) == [((1,), (1,))]
    assert linked(run(late, [book(1, "100")], [book(1, "100", day=60), book(2, "100", day=70)])) == []
    assert linked(run(late, [book(1, "100")], [book(1, "100", day=200)])) == []


def test_what_recurs_is_not_late(book: Book, look_at: Look) -> None:
    """A rent missing in April is not paid by the one of June."""
    left = [book(row, "900", day=30 * row) for row in (1, 2, 3)]
    right = [book(row, "900", day=30 * month + 1) for row, month in ((1, 1), (2, 2), (3, 5))]
    seen = look_at(left, right, "amount", "late")
    assert [link.rows for link in seen.links] == [((1,), (1,)), ((2,), (2,))]


def test_a_typical_difference_without_reference(book: Book, run: Run) -> None:
    """Name and time link a fee; an unexplained difference, another name or another week does not."""
    left = [book(1, "243.04", day=10)]
    assert linked(run(name_difference, left, [book(1, "234.04", day=12)])) == [((1,), (1,))]
    assert linked(run(name_difference, left, [book(1, "211.93", day=12)])) == []
    assert linked(run(name_difference, left, [book(1, "234.04", day=12, party="Kestrel Air")])) == []
    assert linked(run(name_difference, left, [book(1, "234.04", day=20)])) == []
    assert linked(run(name_difference, left, [book(1, "-234.04", day=12)])) == []


def test_in_a_crowd_small_differences_are_chance(book: Book, run: Run) -> None:
    """A small share is believed of a booking without rivals of its size; a fee also in a crowd."""
    left = [book(1, "1000.00", day=10)]
    near, fee = book(1, "993.17", day=11), book(2, "991.00", day=11)
    crowd = [book(row, f"{900 + 7 * row}.13", day=11) for row in range(3, 8)]
    assert linked(run(name_difference, left, [near])) == [((1,), (1,))]
    assert linked(run(name_difference, left, [near, *crowd])) == []
    assert linked(run(name_difference, left, [fee, near, *crowd])) == [((1,), (2,))]
    assert linked(run(name_difference, left, [book(1, "970.31", day=11)])) == []


def test_equal_amounts_under_names_that_disagree(book: Book, run: Run) -> None:
    """Only a loose look links what somebody else paid, and only when it is the only one."""
    left = [book(1, "731.19")]
    assert linked(run(amount_alone, left, [book(1, "731.19", party="Factoring Bank")])) == [((1,), (1,))]
    twice = [book(1, "731.19", party="Factoring Bank"), book(2, "731.19", party="Other Bank")]
    assert linked(run(amount_alone, left, twice)) == []


def test_a_possible_pair_is_asked_and_never_linked(book: Book, run: Run) -> None:
    """Half the amount at the right time from the right party: one doubt with one option."""
    found = run(possible_pair, [book(1, "1000", day=1)], [book(1, "612.40", day=2)])
    assert found.links == ()
    assert [(doubt.rows, doubt.options) for doubt in found.doubts] == [(((1,), (1,)), ((((1,), (1,)),),))]


def test_options_widen_the_time(book: Book, run: Run) -> None:
    """The slack is an option, so a look can be given more of it."""
    left, right = [book(1, "100", day=10)], [book(1, "100", day=22)]
    assert linked(run(amount, left, right)) == []
    assert linked(run(amount, left, right, replace(MatchOptions(), slack_days=10))) == [((1,), (1,))]
