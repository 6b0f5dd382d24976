"""What happens when a command, the supervisor, the broker or a worker is killed."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
import redis

from workers.embedded.session import Session, services
from workers.embedded.spec import Services

MakeSpec = Callable[..., Services]
Command = Callable[[Services], "subprocess.Popen[str]"]
Running = Callable[[Path], list[int]]


def leash_of(supervisor_pid: int) -> psutil.Process:
    """The child of the supervisor that is a copy of it."""
    parent = psutil.Process(supervisor_pid)
    (leash,) = [child for child in parent.children() if child.cmdline() == parent.cmdline()]
    return leash


def test_a_killed_command_leaves_nothing(
    make_spec: MakeSpec, command: Command, running: Running, until: Callable[..., None]
) -> None:
    """After kill -9 of the only command everything ends within five seconds, a worker's own children too."""
    spec = make_spec("parent")
    process = command(spec)
    assert process.stdout is not None
    process.stdout.readline()
    until(lambda: len(running(spec.home)) == 5)
    process.kill()
    until(lambda: not running(spec.home), 5)


def test_a_command_killed_while_it_starts_leaves_nothing(
    make_spec: MakeSpec, command: Command, running: Running, until: Callable[..., None]
) -> None:
    """The supervisor learns of the death although nobody has said hello yet."""
    spec = make_spec("mute")
    process = command(spec)
    until(lambda: len(running(spec.home)) >= 1)
    process.kill()
    until(lambda: not running(spec.home), 5)


@pytest.mark.parametrize("victims", ["supervisor", "supervisor after leash", "leash after supervisor"])
def test_a_killed_supervisor_leaves_nothing(
    make_spec: MakeSpec, running: Running, until: Callable[..., None], victims: str
) -> None:
    """Valkey and workers die with it; their children too, unless the leash is killed at the same moment."""
    spec = make_spec("parent" if victims == "supervisor" else "steady")
    session = Session(spec)
    supervisor = session.wait_for_worker().supervisor_pid
    leash = leash_of(supervisor)
    order = {
        "supervisor": [supervisor],
        "supervisor after leash": [leash.pid, supervisor],
        "leash after supervisor": [supervisor, leash.pid],
    }[victims]
    if victims != "supervisor" and sys.platform != "linux":
        pytest.skip("there is no death signal here: the leash is all there is")
    # Stopped first, so that the supervisor has no time to start the leash again.
    os.kill(supervisor, signal.SIGSTOP)
    for pid in order:
        os.kill(pid, signal.SIGKILL)
    until(lambda: not running(spec.home), 5)
    until(lambda: not session.alive())
    session.close()


def test_a_session_starts_the_services_again(make_spec: MakeSpec, notes: Path, until: Callable[..., None]) -> None:
    """After the supervisor's death the session is not alive; the next question brings new services, and the dead
    worker's lease is ended."""
    spec = make_spec()
    with services(spec) as session:
        before = session.status()
        os.kill(before.supervisor_pid, signal.SIGKILL)
        until(lambda: not session.alive())
        after = session.wait_for_worker()
        assert session.alive()
        assert after.supervisor_pid != before.supervisor_pid
        assert after.broker_url == before.broker_url
        until((notes / f"reaped-{before.workers[0].worker_id}").exists)
        with redis.Redis.from_url(session.redis_url) as client:
            assert client.ping() is True


def test_a_killed_leash_is_replaced(make_spec: MakeSpec, running: Running, until: Callable[..., None]) -> None:
    """The new leash knows of the processes that run already."""
    spec = make_spec("parent")
    session = Session(spec)
    supervisor = session.wait_for_worker().supervisor_pid
    first = leash_of(supervisor).pid
    os.kill(first, signal.SIGKILL)

    def replaced() -> bool:
        return any(
            child.pid != first and child.cmdline() == psutil.Process(supervisor).cmdline()
            for child in psutil.Process(supervisor).children()
        )

    until(replaced)
    os.kill(supervisor, signal.SIGKILL)
    until(lambda: not running(spec.home), 5)
    session.close()


def test_valkey_comes_back(make_spec: MakeSpec, until: Callable[..., None]) -> None:
    """Killed three times in a row, it answers again at the same address, and the worker was left alone."""
    with services(make_spec()) as session, redis.Redis.from_url(session.redis_url) as client:
        first = session.status()
        for _ in range(3):
            before = session.status()
            assert before.broker_pid is not None
            os.kill(before.broker_pid, signal.SIGKILL)
            until(lambda before=before: session.status().broker_starts > before.broker_starts)
            until(lambda: session.status().broker_ready)
            assert client.ping() is True
        assert session.status().workers == first.workers
        assert session.status().trouble is None


def test_valkey_that_hangs_is_replaced(make_spec: MakeSpec, until: Callable[..., None]) -> None:
    """A stopped server that answers no question is killed and started again."""
    with services(make_spec(worker_count=0)) as session:
        before = session.status()
        assert before.broker_pid is not None
        os.kill(before.broker_pid, signal.SIGSTOP)
        until(lambda: session.status().broker_pid not in (None, before.broker_pid), 30)
        until(lambda: session.status().broker_ready)


def test_a_worker_comes_back_and_its_lease_is_ended(
    make_spec: MakeSpec, notes: Path, until: Callable[..., None]
) -> None:
    """The dead one's id is given to the reap command; the new one has a new id and says it is ready."""
    with services(make_spec()) as session:
        (dead,) = session.status().workers
        assert dead.pid is not None
        os.kill(dead.pid, signal.SIGKILL)
        until(lambda: session.status().workers[0].worker_id != dead.worker_id)
        (fresh,) = session.wait_for_worker().workers
        assert (fresh.starts, fresh.ready) == (2, True)
        assert fresh.pid != dead.pid
        until(lambda: list(notes.glob("reaped-*")) == [notes / f"reaped-{dead.worker_id}"])


def test_a_dead_workers_children_are_ended(
    make_spec: MakeSpec, running: Running, until: Callable[..., None], lives: Callable[[int], bool]
) -> None:
    """A tool's process does not outlive the worker that started it."""
    with services(make_spec("parent")) as session:
        (worker,) = session.status().workers
        assert worker.pid is not None
        (tool,) = psutil.Process(worker.pid).children()
        os.kill(worker.pid, signal.SIGKILL)
        until(lambda: not lives(tool.pid))


def test_a_worker_that_is_told_to_stop_may_finish(make_spec: MakeSpec, notes: Path, until: Callable[..., None]) -> None:
    """It ends by itself, within its grace, and nobody ends its lease for it."""
    session = Session(make_spec("slow"))
    (worker,) = session.wait_for_worker().workers
    session.close()
    until((notes / f"stopped-{worker.worker_id}").exists)
    (notes / "go").touch()
    assert worker.pid is not None
    until(lambda: not psutil.pid_exists(worker.pid or 0))
    assert list(notes.glob("reaped-*")) == []


def test_a_worker_that_will_not_stop_is_killed(make_spec: MakeSpec, notes: Path, lives: Callable[[int], bool]) -> None:
    """After the grace it is killed, its lease is ended, and only then the command returns."""
    with services(make_spec("stubborn", grace=0.3)) as session:
        (worker,) = session.status().workers
    assert worker.pid is not None
    assert not lives(worker.pid)
    assert (notes / f"reaped-{worker.worker_id}").exists()


def test_a_supervisor_that_is_told_to_end_ends_in_order(
    make_spec: MakeSpec, notes: Path, until: Callable[..., None]
) -> None:
    """SIGTERM: the worker is told to stop; a command that comes meanwhile waits and gets new services."""
    spec = make_spec("slow")
    first = Session(spec)
    before = first.wait_for_worker()
    os.kill(before.supervisor_pid, signal.SIGTERM)
    until((notes / f"stopped-{before.workers[0].worker_id}").exists)
    (notes / "go").touch()
    with services(spec) as second:
        assert second.status().supervisor_pid != before.supervisor_pid
        until(lambda: not first.alive())
    first.close()
    assert list(notes.glob("reaped-*")) == []


def test_a_second_signal_ends_at_once(
    make_spec: MakeSpec, notes: Path, running: Running, until: Callable[..., None]
) -> None:
    """Who cannot wait for the grace signals twice."""
    spec = make_spec("stubborn", grace=60)
    session = Session(spec)
    supervisor = session.wait_for_worker().supervisor_pid
    os.kill(supervisor, signal.SIGTERM)
    until(lambda: list(notes.glob("stopped-*")))
    os.kill(supervisor, signal.SIGTERM)
    until(lambda: not running(spec.home))
    session.close()


def test_sockets_swept_away(make_spec: MakeSpec, until: Callable[..., None]) -> None:
    """When a cleaner of /tmp removes the sockets, the services end and a session starts them anew."""
    with services(make_spec()) as session:
        before = session.status()
        for path in Path(session.redis_url.removeprefix("unix://")).parent.iterdir():
            path.unlink()
        until(lambda: not session.alive(), 30)
        assert session.wait_for_worker().supervisor_pid != before.supervisor_pid
