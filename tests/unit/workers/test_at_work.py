"""Who is at work on what, and who finds out that it has nothing to work on any more."""

from workers.at_work import AtWork, lose


def test_a_subtask_is_at_work_while_any_thread_is() -> None:
    """The same wake-up may be handled twice at once."""
    at_work = AtWork()
    with at_work.on("a"):
        with at_work.on("a"):
            assert "a" in at_work
        assert "a" in at_work
        assert "b" not in at_work
    assert "a" not in at_work


def test_only_a_claim_can_be_lost() -> None:
    """The thread that found nothing to claim has nothing to lose; one whose claim is gone is told once and for all."""
    at_work = AtWork()
    with at_work.on("a") as first, at_work.on("a") as second, at_work.on("b") as other:
        first.claimed = other.claimed = True
        lost = at_work.losing("a")
        assert lose(at_work.claims(), {"a", "b"}) == []
        assert not lost()
        assert lose(at_work.claims(), {"b"}) == ["a"]
        assert (lost(), first.lost(), second.lost(), other.lost()) == (True, True, False, False)


def test_a_claim_that_came_later_is_not_lost() -> None:
    """What was read of the store before it says nothing of it."""
    at_work = AtWork()
    before = at_work.claims()
    with at_work.on("a") as hold:
        hold.claimed = True
        assert lose(before, set()) == []
        assert not at_work.losing("a")()


def test_without_a_claim_everything_is_lost() -> None:
    """A turn whose claim ended has nothing left to do."""
    assert AtWork().losing("a")()
