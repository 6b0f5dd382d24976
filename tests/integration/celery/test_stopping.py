"""How a worker process ends: gently at the first request, at once at the second, in time whatever the broker does."""

import signal
import time
from collections.abc import Callable
from typing import Any

from orchestrator.adapters.celery_broker.producer import CeleryBroker
from orchestrator.adapters.otel.files import read_spans
from orchestrator.adapters.otel.traceparent import trace_id_of

CUT = "the process ended first"


def spans_of(worker: Any) -> dict[tuple[str, str], str | None]:
    """How the turns and steps that the worker traced ended, by name and subtask; none is without its parent."""
    run = next(note.split()[1] for note in worker.notes if note.startswith("trace"))
    trace_id = trace_id_of(run)
    assert trace_id is not None
    spans = {span.span_id: span for span in read_spans(worker.path.with_name("traces"), trace_id)}
    ended: dict[tuple[str, str], str | None] = {}
    for span in spans.values():
        turn = span if span.name == "turn" else spans[str(span.parent_id)]
        assert turn.parent_id == run.split("-")[2]
        ended[span.name, str(turn.attributes["remit.subtask"])] = span.error
    return ended


def test_turns_in_hand_are_told_and_waited_for(
    valkey: Any, broker: CeleryBroker, start_worker: Callable[..., Any]
) -> None:
    """SIGTERM: each turn finishes its step, nothing new is begun, what was not taken stays in the queue."""
    worker = start_worker(valkey.url, threads=4)
    worker.await_note("ready")
    broker.wake([f"step:60:{n}" for n in range(6)])
    worker.await_note("start", times=4)
    assert worker.end() == 0
    assert worker.count("start") == worker.count("end") == 4
    assert worker.count("stop") == 1
    assert worker.notes[-1] == "left 0 0"
    assert list(spans_of(worker).values()) == [None] * 8
    with valkey.client() as client:
        assert client.llen("one:turns") == 2


def test_an_idle_worker_ends_at_once(valkey: Any, start_worker: Callable[..., Any]) -> None:
    """Neither the poll nor the broker's pending answer holds it up."""
    worker = start_worker(valkey.url)
    worker.await_note("ready")
    began = time.monotonic()
    assert worker.end(signal.SIGINT) == 0
    assert time.monotonic() - began < 45.0


def test_turns_that_do_not_end_are_given_up(
    valkey: Any, broker: CeleryBroker, start_worker: Callable[..., Any]
) -> None:
    """After the time of grace the worker ends with a code that says so; Python does not wait for the threads."""
    worker = start_worker(valkey.url, grace=1.0)
    worker.await_note("ready")
    broker.wake(["hang:60", "step:60"])
    worker.await_note("start", times=2)
    began = time.monotonic()
    assert worker.end() == 1
    assert 1.0 <= time.monotonic() - began < 45.0
    assert worker.notes[-1] == "left 1 1"
    assert spans_of(worker) == {
        ("turn", "hang:60"): CUT,
        ("step", "hang:60"): CUT,
        ("turn", "step:60"): None,
        ("step", "step:60"): None,
    }


def test_the_second_request_ends_the_process_at_once(
    valkey: Any, broker: CeleryBroker, start_worker: Callable[..., Any]
) -> None:
    """SIGTERM twice: the second is not gentle."""
    worker = start_worker(valkey.url, grace=30.0)
    worker.await_note("ready")
    broker.wake(["hang:60"])
    worker.await_note("start")
    worker.process.send_signal(signal.SIGTERM)
    worker.await_note("stop")
    began = time.monotonic()
    assert worker.end() == 128 + signal.SIGTERM
    assert time.monotonic() - began < 25.0
    assert worker.count("stop") == 1


def test_sigquit_ends_the_process_at_once(valkey: Any, broker: CeleryBroker, start_worker: Callable[..., Any]) -> None:
    """Without asking anybody."""
    worker = start_worker(valkey.url)
    worker.await_note("ready")
    broker.wake(["hang:60"])
    worker.await_note("start")
    assert worker.end(signal.SIGQUIT, seconds=45.0) == 128 + signal.SIGQUIT
    assert worker.count("stop") == 0


def test_a_request_while_starting_is_kept(valkey: Any, start_worker: Callable[..., Any]) -> None:
    """SIGTERM at any moment of the start: the worker ends soon, by the signal itself or with code 0."""
    moments = [0.0, 0.1, 0.3]
    workers = [start_worker(valkey.url) for _ in moments]
    for worker, moment in zip(workers, moments, strict=True):
        worker.await_note("booting")
        time.sleep(moment)
        assert worker.end() in (0, -signal.SIGTERM)


def test_a_request_while_no_broker_is_there_is_kept(absent: Any, start_worker: Callable[..., Any]) -> None:
    """Waiting for a broker is no reason to stay."""
    worker = start_worker(absent.url)
    worker.await_log("cannot connect to the broker")
    began = time.monotonic()
    assert worker.end() == 0
    assert time.monotonic() - began < 45.0


def test_a_broker_that_hangs_does_not_hold_up_the_end(
    valkey: Any, broker: CeleryBroker, start_worker: Callable[..., Any]
) -> None:
    """The broker is stopped, then the worker is told to end: its turn finishes, and it is gone in seconds."""
    worker = start_worker(valkey.url)
    worker.await_note("ready")
    broker.wake(["step:60"])
    worker.await_note("start")
    valkey.send(signal.SIGSTOP)
    began = time.monotonic()
    code = worker.end()
    took = time.monotonic() - began
    valkey.send(signal.SIGCONT)
    assert code == 0
    assert worker.count("end step") == 1
    assert "the broker held up the stop; its connection was dropped" in worker.log.read_text()
    assert took < 45.0


def test_the_broker_and_the_worker_may_end_together(
    valkey: Any, broker: CeleryBroker, start_worker: Callable[..., Any]
) -> None:
    """The broker dies, then the worker is told to end while it reconnects."""
    worker = start_worker(valkey.url)
    worker.await_note("ready")
    broker.wake(["step:60"])
    worker.await_note("start")
    valkey.kill()
    began = time.monotonic()
    assert worker.end() == 0
    assert time.monotonic() - began < 45.0
    assert worker.count("end step") == 1


def test_two_hundred_turns_in_hand_end_in_order(
    valkey: Any, broker: CeleryBroker, start_worker: Callable[..., Any]
) -> None:
    """SIGTERM in the midst of all of them: each finishes its step, and none is given up."""
    worker = start_worker(valkey.url, threads=200, grace=60.0)
    worker.await_note("ready")
    broker.wake([f"step:600:{n}" for n in range(201)])
    worker.await_note("start", times=200)
    assert worker.end(seconds=120.0) == 0
    assert worker.count("start") == worker.count("end") == 200
    assert worker.notes[-1] == "left 0 0"
    with valkey.client() as client:
        assert client.llen("one:turns") == 1
