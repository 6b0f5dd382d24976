"""The order of the queues: interactive first, and nothing starves."""

import pytest

from orchestrator.adapters.celery_broker.lanes import IN_A_ROW, LaneCycle


@pytest.fixture
def cycle() -> LaneCycle:
    """Reads both queues."""
    made = LaneCycle()
    made.update({"turns.batch", "turns"})
    return made


def taken(cycle: LaneCycle, waiting: dict[str, int]) -> list[str]:
    """The queues from which a worker takes what waits, one after another."""
    left, order = dict(waiting), list[str]()
    while any(left.values()):
        queue = next(one for one in cycle.consume(2) if left[one])
        left[queue] -= 1
        order.append(cycle.rotate(queue))
    return order


def test_batch_work_gets_every_fifth_turn(cycle: LaneCycle) -> None:
    """However much interactive work there is."""
    order = taken(cycle, {"turns": 40, "turns.batch": 10})
    assert order == (["turns"] * IN_A_ROW + ["turns.batch"]) * 10


def test_a_lane_alone_gets_everything(cycle: LaneCycle) -> None:
    """Nobody waits for what is not there."""
    assert taken(cycle, {"turns": 9, "turns.batch": 0}) == ["turns"] * 9
    assert taken(cycle, {"turns": 0, "turns.batch": 9}) == ["turns.batch"] * 9


def test_one_queue_is_read_by_itself() -> None:
    """As while the worker cancels the other one."""
    cycle = LaneCycle()
    assert cycle.consume(0) == []
    cycle.update(["turns"])
    for _ in range(7):
        assert cycle.consume(1) == ["turns"]
        cycle.rotate("turns")
