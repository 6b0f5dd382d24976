"""How a real worker process takes messages from a real broker."""

import time
from collections.abc import Callable
from typing import Any

from orchestrator.adapters.celery_broker.producer import CeleryBroker
from orchestrator.adapters.celery_broker.wire import QUEUES

BINDINGS = ("binding", "binding_permanent")


def test_nothing_is_kept_of_messages_while_turns_run(
    valkey: Any, broker: CeleryBroker, start_worker: Callable[..., Any]
) -> None:
    """Acknowledged early: with every thread busy the broker holds only what nobody has taken yet."""
    worker = start_worker(valkey.url, threads=2)
    worker.await_note("ready")
    broker.wake([f"step:30:{n}" for n in range(3)])
    worker.await_note("start", times=2)
    bindings = {f"one:_kombu.{kind}.{queue}" for kind in BINDINGS for queue in QUEUES.values()}
    assert valkey.keys() - {"one:turns"} <= bindings
    with valkey.client() as client:
        assert client.llen("one:turns") == 1
    assert worker.end() == 0
    with valkey.client() as client:
        assert client.llen("one:turns") == 1


def test_a_thread_that_got_free_takes_the_next_message_at_once(
    valkey: Any, broker: CeleryBroker, start_worker: Callable[..., Any]
) -> None:
    """A saturated pool loses no time between turns: noticed by polling, 20 turns would take 20 s."""
    worker = start_worker(valkey.url, threads=1)
    worker.await_note("ready")
    broker.wake([f"step:0.05:{n}" for n in range(20)])
    assert worker.await_note("end", times=20) < 8.0
    assert worker.end() == 0


def test_a_broker_absent_at_the_start_is_waited_for(absent: Any, start_worker: Callable[..., Any]) -> None:
    """The worker starts without a broker, says so once, and is ready when one comes."""
    worker = start_worker(absent.url)
    worker.await_log("cannot connect to the broker")
    time.sleep(0.5)  # further attempts, of which nothing is said
    assert worker.process.poll() is None
    assert worker.count("ready") == 0
    absent.start()
    worker.await_note("ready", seconds=8.0)
    assert worker.log.read_text().count("cannot connect to the broker") == 1
    assert worker.end() == 0


def test_two_instances_on_one_broker_do_not_see_each_other(
    valkey: Any, broker: CeleryBroker, start_worker: Callable[..., Any]
) -> None:
    """Each takes its own wake-ups only."""
    one, two = start_worker(valkey.url, "one"), start_worker(valkey.url, "two")
    one.await_note("ready")
    two.await_note("ready")
    other = CeleryBroker(valkey.url, "two")
    for n in range(10):
        broker.wake([f"step:0:one{n}"])
        other.wake([f"step:0:two{n}"])
    one.await_note("end", times=10)
    two.await_note("end", times=10)
    assert all(":one" in note for note in one.notes if note.startswith("start"))
    assert all(":two" in note for note in two.notes if note.startswith("start"))
    assert (one.end(), two.end()) == (0, 0)
    other.close()


def test_interactive_work_goes_first_and_batch_work_gets_its_turns(
    valkey: Any, broker: CeleryBroker, start_worker: Callable[..., Any]
) -> None:
    """Of what waits when a worker comes: four interactive turns, then one of the batch, until one lane is empty."""
    broker.wake([f"b{n}" for n in range(4)], "batch")
    broker.wake([f"i{n}" for n in range(10)])
    worker = start_worker(valkey.url, threads=1)
    worker.await_note("end", times=14, seconds=60)
    order = [note.split()[1] for note in worker.notes if note.startswith("start ")]
    assert order == ["i0", "i1", "i2", "i3", "b0", "i4", "i5", "i6", "i7", "b1", "i8", "i9", "b2", "b3"]
    assert worker.end() == 0
