"""Services start with the first command, are shared, and end with the last one."""

import json
import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import redis
from kombu.connection import Connection

from workers.embedded.session import Session, services
from workers.embedded.spec import Services

MakeSpec = Callable[..., Services]


def test_the_broker_answers_both_ways_and_carries_a_message(make_spec: MakeSpec) -> None:
    """redis-py and Kombu reach the broker by the session's two addresses."""
    with services(make_spec()) as session:
        with redis.Redis.from_url(session.redis_url) as client:
            assert client.ping() is True
            assert client.config_get("save") == {"save": ""}
            assert client.config_get("port") == {"port": "0"}
        with Connection(session.broker_url, transport_options={"global_keyprefix": "test:"}) as link:
            queue = link.SimpleQueue("wake")
            queue.put({"id": "4"})
            assert queue.get(timeout=60).payload == {"id": "4"}
            queue.close()


def test_a_worker_is_ready_and_knows_the_broker(make_spec: MakeSpec, notes: Path) -> None:
    """The worker was given its id and the broker's address, and said that it is ready."""
    with services(make_spec()) as session:
        state = session.status()
        (worker,) = state.workers
        assert state.ready
        assert worker.starts == 1
        assert state.worker_pids == (worker.pid,)
        (started,) = notes.glob(f"started-*-{worker.worker_id}")
        assert started.read_text() == session.broker_url


def test_nothing_is_left_when_the_last_one_leaves(make_spec: MakeSpec, lives: Callable[[int], bool]) -> None:
    """When the block has ended, Valkey and the worker have, and so has every file of theirs but locks and logs."""
    spec = make_spec()
    with services(spec) as session:
        state = session.status()
        sockets = Path(session.redis_url.removeprefix("unix://")).parent
        assert sorted(path.name for path in sockets.iterdir()) == ["broker.sock", "control.sock"]
    assert state.broker_pid is not None
    assert not any(lives(pid) for pid in (state.broker_pid, *state.worker_pids))
    assert not sockets.exists()
    assert sorted(path.name for path in spec.run_folder.iterdir()) == ["supervisor.lock", "workers"]
    assert list((spec.run_folder / "workers").iterdir()) == []


def test_two_commands_share_one_set(
    make_spec: MakeSpec, command: Callable[[Services], "subprocess.Popen[str]"], lives: Callable[[int], bool]
) -> None:
    """The second command finds the first one's services, and keeps them when the first one leaves."""
    spec = make_spec()
    first = command(spec)
    assert first.stdout is not None
    state = json.loads(first.stdout.readline())
    with services(spec) as session:
        assert session.status().supervisor_pid == state["supervisor_pid"]
        assert session.status().broker_pid == state["broker_pid"]
        first.communicate()
        assert first.returncode == 0
        assert session.alive()
        assert session.status().worker_pids == tuple(worker["pid"] for worker in state["workers"])
    assert not lives(state["broker_pid"])


def test_several_workers(make_spec: MakeSpec, until: Callable[..., None]) -> None:
    """As many workers run as were asked for, each with its own id and log."""
    spec = make_spec(worker_count=3)
    with services(spec) as session:
        until(lambda: sum(worker.ready for worker in session.status().workers) == 3)
        assert len({worker.worker_id for worker in session.status().workers}) == 3
    assert [path.name for path in sorted(spec.log_folder.glob("worker-*"))] == [f"worker-{n}.log" for n in (1, 2, 3)]


def test_no_worker_at_all(make_spec: MakeSpec) -> None:
    """A command that needs only the broker gets only the broker."""
    with services(make_spec(worker_count=0)) as session:
        assert session.status().broker_ready
        assert session.status().workers == ()


def test_an_exception_in_the_block_ends_the_services_too(make_spec: MakeSpec, lives: Callable[[int], bool]) -> None:
    """The exception passes, and nothing is left (the fixture waits for that)."""
    with pytest.raises(KeyboardInterrupt), services(make_spec()):
        raise KeyboardInterrupt


def test_all_files_are_the_owners_alone(make_spec: MakeSpec) -> None:
    """Neither group nor others may read, write or enter anything, whatever the caller's umask is."""
    spec = make_spec()
    before = os.umask(0o000)
    try:
        with services(spec) as session:
            sockets = Path(session.redis_url.removeprefix("unix://")).parent
            paths = [spec.home, *spec.home.rglob("*"), sockets, *sockets.iterdir()]
            open_to_others = [path for path in paths if stat.S_IMODE(path.lstat().st_mode) & 0o077]
    finally:
        os.umask(before)
    assert len(paths) >= 9
    assert open_to_others == []


@pytest.mark.parametrize("name", ["with space", "数据/对账", "quote'\"#?%41;{worker_id}", "x" * 200 + "/y" * 100])
def test_any_home_will_do(make_spec: MakeSpec, tmp_path: Path, name: str) -> None:
    """Spaces, Chinese, characters that mean something in addresses, and paths longer than any socket's."""
    with services(make_spec(home=tmp_path / name)) as session, redis.Redis.from_url(session.redis_url) as client:
        assert client.ping() is True
        assert session.status().ready


def test_sockets_stand_in_the_users_runtime_folder(make_spec: MakeSpec, short_folder: Path) -> None:
    """A runtime folder whose name needs quoting works for redis-py and for Kombu."""
    runtime = short_folder / "运行 ;#%41"
    runtime.mkdir(mode=0o700)
    with services(make_spec(runtime_dir=runtime)) as session:
        assert len(list(runtime.glob("remit-*/broker.sock"))) == 1
        with redis.Redis.from_url(session.redis_url) as client:
            assert client.ping() is True
        with Connection(session.broker_url) as link:
            assert link.ensure_connection(max_retries=1) is not None
    assert list(runtime.iterdir()) == []


def test_a_runtime_folder_that_is_too_long_is_not_used(make_spec: MakeSpec, tmp_path: Path) -> None:
    """Sockets cannot stand in it, so they stand in /tmp."""
    runtime = tmp_path / ("x" * 100)
    runtime.mkdir(mode=0o700)
    with services(make_spec(runtime_dir=runtime)) as session:
        assert session.redis_url.startswith("unix:///tmp/remit-")
        assert session.status().ready


def test_commands_with_different_runtime_folders_meet(make_spec: MakeSpec, short_folder: Path) -> None:
    """A home has one set of services, also when a later command (cron, su) sees no runtime folder."""
    with services(make_spec(runtime_dir=short_folder)) as first, services(make_spec()) as second:
        assert Path(first.redis_url.removeprefix("unix://")).parents[1] == short_folder
        assert second.broker_url == first.broker_url
        assert second.status().supervisor_pid == first.status().supervisor_pid


def test_a_command_is_told_which_settings_the_running_services_do_not_have(make_spec: MakeSpec) -> None:
    """Only watched variables count: a changed key is named, a changed terminal is not."""
    spec = make_spec()
    watched = ("OPENAI_API_KEY", "REMIT_MODEL", "REMIT_THREADS")
    first = make_spec(watched=watched, env={**spec.env, "REMIT_MODEL": "small", "TERM": "dumb"})
    second = make_spec(watched=watched, env={**spec.env, "OPENAI_API_KEY": "k", "REMIT_MODEL": "small"})
    with services(first) as session, services(second) as other:
        assert session.differs == ()
        assert other.differs == ("OPENAI_API_KEY",)


def test_a_relative_home(make_spec: MakeSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is meant from where the command runs."""
    monkeypatch.chdir(tmp_path)
    with services(make_spec(home=Path("my home"))) as session:
        assert session.status().ready
        assert (tmp_path / "my home" / "logs" / "valkey.log").stat().st_size > 0


def test_a_command_that_comes_while_the_services_end_keeps_them(
    make_spec: MakeSpec, notes: Path, until: Callable[..., None]
) -> None:
    """Its worker starts beside the one that still finishes its step, under the same supervisor and broker."""
    spec = make_spec("slow")
    first = Session(spec)
    before = first.wait_for_worker()
    first.close()
    until(lambda: list(notes.glob("stopped-*")))
    with services(spec) as second:
        state = second.status()
        assert (state.supervisor_pid, state.broker_pid) == (before.supervisor_pid, before.broker_pid)
        assert state.workers[0].worker_id != before.workers[0].worker_id
        (notes / "go").touch()
    assert list(notes.glob("reaped-*")) == []


def test_many_sessions_one_after_another(make_spec: MakeSpec) -> None:
    """No command is lost in the moment in which the services of the one before end."""
    spec = make_spec()
    for _ in range(10):
        session = Session(spec)
        assert session.status().broker_ready
        session.close()
