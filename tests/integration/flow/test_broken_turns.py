"""Something of ours breaks in a turn, again and again: it is tried later; in the end a person is told what it was."""

from collections.abc import Callable
from typing import Any

import pytest

from orchestrator.errors import StoreError

Make = Callable[..., Any]


def find_while(broken: list[Exception]) -> Callable[[Any, Any], Any]:
    """A specialist whose model raises these, one a turn, and then finds something."""

    def find(briefing: Any, request: Any) -> Any:
        del briefing, request
        return broken.pop(0) if broken else {"summary": "Nothing was there.", "evidence": []}

    return find


def work_on(engine: Any) -> None:
    """Let time pass, and work until nothing moves."""
    for _ in range(4):
        engine.clock.advance(20)
        engine.sweeper.sweep()
        engine.work()


DAMAGED = StoreError("a content is damaged", where="sha256:12", mend="Put it back.")


@pytest.mark.parametrize(
    ("broken", "told"),
    [(DAMAGED, "sha256:12: a content is damaged. Put it back."), (KeyError("x"), "a defect in Remit: KeyError('x')")],
)
def test_a_person_is_told_what_broke(flow: Make, broken: Exception, told: str) -> None:
    """And nobody is said to have died."""
    engine = flow(specialist=find_while([broken] * 3))
    run_id = engine.run().run.id
    work_on(engine)
    ticket = engine.open_ticket(run_id)
    assert ticket.question == "«A» broke off 3 times. What shall be done?"
    assert ticket.tried == f"It was started anew each time. The last time it broke off with:\n{told}"
    assert engine.answer(run_id, "skip").state == "done"
    finding = engine.store.findings([f"{run_id}/a"])[f"{run_id}/a"]
    assert finding.text == "It was set aside because it broke off each time, and a person decided to go on without it."


def test_what_is_well_again_asks_nobody(flow: Make) -> None:
    """The first try comes after a second, the next after four: as long as a disk or a network may need."""
    engine = flow(specialist=find_while([DAMAGED] * 2))
    run_id = engine.run().run.id
    first = engine.store.subtask(f"{run_id}/a")
    assert (first.status, first.deaths) == ("waiting", 1)
    work_on(engine)
    assert engine.progress(run_id).state == "done"
    assert engine.store.tickets(engine.scope, run_id=run_id) == []


def test_who_says_to_try_again_does_not_wait_longer_each_time(flow: Make) -> None:
    """Seven turns break off and a person says twice to try again: no try is put off by more than four seconds."""
    engine = flow(specialist=find_while([DAMAGED] * 7))
    run_id = engine.run().run.id
    for _ in range(7):
        for _ticket in engine.store.tickets(engine.scope, run_id=run_id, status="open"):
            engine.answer(run_id, "retry")
        engine.clock.advance(5)
        engine.sweeper.sweep()
        engine.work()
    assert engine.progress(run_id).state == "done"
    assert len(engine.store.tickets(engine.scope, run_id=run_id)) == 2
