"""One real worker through everything that a broker can do to it: killed, stopped, emptied, cut off, full of rubbish."""

import signal
import time
from typing import Any


def test_wake_ups_become_turns(running: Any) -> None:
    """Ten equal wake-ups are ten turns, harmless by design; each begins in a clean context; a failing one is a line."""
    worker, broker = running.worker, running.broker
    broker.wake(["step:0:same"] * 10)
    worker.await_note("end step:0:same", times=10)
    broker.wake(["raise:0:1", "exit:0:1"])
    broker.wake([f"step:0:after{n}" for n in range(8)])
    worker.await_note("end step:0:after", times=8)
    assert all(note.endswith(" clean") for note in worker.notes if note.startswith("start"))
    assert worker.count("start step:0:same") == 10
    errors = [line for line in worker.log.read_text().splitlines() if "celery_app" in line]
    assert sorted(errors) == [
        "ERROR:workers.celery_app:turn of subtask exit:0:1 failed: SystemExit: 3",
        "ERROR:workers.celery_app:turn of subtask raise:0:1 failed: ValueError: a turn that fails",
    ]


def test_the_worker_comes_back_when_the_broker_does(running: Any) -> None:
    """Killed in the middle of a turn and away for 3 s: the turn runs on, once, and the next wake-up is taken."""
    running.send_until_taken("hang:2:long")
    running.valkey.kill()
    time.sleep(3)  # the outage itself
    running.valkey.start()
    assert running.send_until_taken("step:0:next") < 6.0
    running.worker.await_note("end hang:2:long")
    assert running.worker.count("start hang:2:long") == 1


def test_connections_cut_in_the_middle_of_turns_start_nothing_twice(running: Any) -> None:
    """Every connection of the broker is cut again and again under load: turns in hand are not started anew."""
    for n in range(6):
        running.broker.wake([f"hang:0.05:{n}.{i}" for i in range(4)])
        with running.valkey.client() as client:
            client.execute_command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        running.send_until_taken(f"step:0:probe{n}")
    started = [note.split()[1] for note in running.worker.notes if note.startswith("start hang:0.05")]
    assert len(started) == len(set(started))


def test_an_emptied_broker_is_only_an_empty_queue(running: Any) -> None:
    """After FLUSHALL the next wake-up is taken as if nothing had happened."""
    running.send_until_taken("step:0:before")
    with running.valkey.client() as client:
        client.flushall()
    running.broker.wake(["step:0:emptied"])
    running.worker.await_note("end step:0:emptied", seconds=5.0)


def test_a_stopped_broker_is_left_and_found_again(running: Any) -> None:
    """Stopped for a second and let go on: the worker consumes."""
    running.valkey.send(signal.SIGSTOP)
    time.sleep(1)  # the outage itself
    running.valkey.send(signal.SIGCONT)
    running.send_until_taken("step:0:awake")


def test_rubbish_on_the_queue_does_not_end_the_worker(running: Any) -> None:
    """Text that is no JSON, JSON that is no message, a message that is no turn: each costs at most a reconnect."""
    shell = (
        '{"body": "%s", "headers": {"task": "%s", "id": "1"}, "content-encoding": "utf-8",'
        ' "properties": {"delivery_tag": "1", "body_encoding": "base64"}, "content-type": "application/json"}'
    )
    rubbish = ["no json", "[]", "{}", shell % ("e30=", "remit.turn"), shell % ("W10=", "remit.turn")]
    for n, junk in enumerate([*rubbish, shell % ("W10=", "unknown")]):
        with running.valkey.client() as client:
            client.lpush("one:turns", junk)
        running.send_until_taken(f"step:0:junk{n}")
