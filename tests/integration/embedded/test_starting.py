"""Starting: many at once, after a crash, and when something does not come up."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from orchestrator.errors import ServiceError
from workers.embedded.session import services
from workers.embedded.spec import Services

MakeSpec = Callable[..., Services]


def test_eight_commands_at_once_make_one_supervisor(
    make_spec: MakeSpec, command: Callable[[Services], "subprocess.Popen[str]"], notes: Path
) -> None:
    """All eight hold the same supervisor, broker and worker."""
    spec = make_spec()
    commands = [command(spec) for _ in range(8)]
    states = [json.loads(process.stdout.readline()) for process in commands if process.stdout]
    assert len(states) == 8
    assert len({state["supervisor_pid"] for state in states}) == 1
    assert len({state["broker_pid"] for state in states}) == 1
    assert len(list(notes.glob("started-*"))) == 1
    for process in commands:
        process.communicate()
    assert [process.returncode for process in commands] == [0] * 8


def test_threads_of_one_process_at_once(make_spec: MakeSpec) -> None:
    """The locks also hold between threads of one process."""
    spec = make_spec()
    barrier = threading.Barrier(6)
    pids: list[int] = []

    def hold() -> None:
        with services(spec, limit=60) as session:
            pids.append(session.status().supervisor_pid)
            barrier.wait(60)

    threads = [threading.Thread(target=hold) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(pids) == 6
    assert len(set(pids)) == 1


def test_stale_sockets_and_a_stale_note_are_passed_over(make_spec: MakeSpec) -> None:
    """What a killed supervisor left does not keep the next one from starting in the same place."""
    spec = make_spec()
    with services(spec) as session:
        sockets = Path(session.redis_url.removeprefix("unix://")).parent
        note = (spec.run_folder / "supervisor.json").read_bytes()
    sockets.mkdir(mode=0o700)
    for name in ("control.sock", "broker.sock"):
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(str(sockets / name))
    (spec.run_folder / "supervisor.json").write_bytes(note)
    with services(spec) as session:
        assert session.status().ready
        assert Path(session.redis_url.removeprefix("unix://")).parent == sockets


@pytest.mark.parametrize("note", [b"", b"{", b"[]", b'{"pid": "x", "control_socket": 4}', b"\xff\xfe"])
def test_a_note_that_cannot_be_read(make_spec: MakeSpec, note: bytes) -> None:
    """It is as good as none."""
    spec = make_spec()
    spec.run_folder.mkdir(parents=True)
    (spec.run_folder / "supervisor.json").write_bytes(note)
    with services(spec) as session:
        assert session.status().ready


def test_a_worker_that_ends_at_once_each_time(
    make_spec: MakeSpec, notes: Path, until: Callable[..., None], running: Callable[[Path], list[int]]
) -> None:
    """The command hears in one line how the worker ended, its last words, and where its log is."""
    spec = make_spec("broken")
    with pytest.raises(ServiceError) as caught, services(spec):
        pytest.fail("the block must not be entered")
    assert str(caught.value) == (
        f"{spec.log_folder / 'worker-1.log'}: "
        "the worker ended 3 times before it was ready; exit code 1: no module named hope"
    )
    until(lambda: not running(spec.home))
    assert len(list(notes.glob("reaped-*"))) == len(list(notes.glob("started-*")))


def test_restarts_come_slower_and_slower(make_spec: MakeSpec, notes: Path, until: Callable[..., None]) -> None:
    """The pauses between the starts of a broken worker double; the session goes on and tells the trouble."""
    with services(make_spec("broken"), wait_for_worker=False) as session:
        until(lambda: len(list(notes.glob("started-*"))) >= 6)
        assert session.status().workers[0].starts >= 6
        starts = sorted(float(path.name.split("-")[1]) for path in notes.glob("started-*"))[:6]
        pauses = [after - before for before, after in pairwise(starts)]
        assert all(taken >= least for taken, least in zip(pauses, (0, 0.1, 0.2, 0.4, 0.8), strict=True)), pauses
        trouble = session.status().trouble
        assert trouble is not None
        assert trouble.what.endswith("exit code 1: no module named hope")
        assert session.status().broker_ready


def test_a_worker_that_does_not_become_ready_in_time(make_spec: MakeSpec, until: Callable[..., None]) -> None:
    """The command gives up after its limit with one line."""
    spec = make_spec("mute")
    with (
        pytest.raises(ServiceError, match=r"worker-1\.log: no worker was ready within 0\.5 s: nothing is in its log"),
        services(spec, limit=0.5),
    ):
        pytest.fail("the block must not be entered")


def test_a_worker_command_that_does_not_exist(make_spec: MakeSpec) -> None:
    """Said in one line, too."""
    spec = make_spec(worker_argv=("/no/such/worker", "{worker_id}", "{ready_fd}"))
    with pytest.raises(ServiceError, match=r"before it was ready; cannot be started: .*No such file"), services(spec):
        pytest.fail("the block must not be entered")


def test_valkey_that_cannot_be_started(make_spec: MakeSpec) -> None:
    """The reason and the log are in the one line; nothing is left running."""
    spec = make_spec()
    (spec.log_folder / "valkey.log").mkdir(parents=True)
    with (
        pytest.raises(ServiceError, match=r"valkey\.log: Valkey ended 3 times .* cannot be started: .*Is a directory"),
        services(spec),
    ):
        pytest.fail("the block must not be entered")


def test_a_supervisor_that_cannot_start(make_spec: MakeSpec) -> None:
    """The last line of its log is in the message."""
    spec = make_spec()
    spec.run_folder.mkdir(parents=True)
    (spec.run_folder / "workers").touch()
    with (
        pytest.raises(
            ServiceError, match=r"supervisor\.log: the services' supervisor ended at its start: .*File exists"
        ),
        services(spec),
    ):
        pytest.fail("the block must not be entered")


def test_a_home_that_is_a_file(make_spec: MakeSpec, tmp_path: Path) -> None:
    """One line that names it and says what to do."""
    home = tmp_path / "home"
    home.touch()
    with pytest.raises(ServiceError) as caught, services(make_spec(home=home / "below")):
        pytest.fail("the block must not be entered")
    assert str(caught.value) == (
        f"{home / 'below'}: a file of the services cannot be used: Not a directory. "
        "Set REMIT_HOME to a folder of your own that you can write to."
    )


@pytest.mark.parametrize("name", ["run/supervisor.lock", "logs/supervisor.log"])
def test_a_file_that_cannot_be_opened(make_spec: MakeSpec, name: str) -> None:
    """It is named in the one line; a folder in its place stands for all that can be wrong with it."""
    spec = make_spec()
    (spec.home / name).mkdir(parents=True)
    with pytest.raises(ServiceError) as caught, services(spec):
        pytest.fail("the block must not be entered")
    assert str(caught.value).startswith(f"{spec.home / name}: a file of the services cannot be used: Is a directory. ")


def test_a_large_and_odd_environment(make_spec: MakeSpec, notes: Path) -> None:
    """An environment larger than any pipe, with bytes that are no text, reaches the worker unchanged."""
    spec = make_spec()
    odd = {f"LARGE_{number}": "x" * 50_000 for number in range(20)} | {"ODD": "caf\udce9\n{ready_fd} 汉"}
    report = "import os, sys; from pathlib import Path; Path(sys.argv[1]).write_bytes(os.environb[b'ODD'])"
    spec = make_spec(
        env={**spec.env, **odd},
        reap_argv=(sys.executable, "-S", "-c", report, str(notes / "odd"), "{worker_id}"),
        grace=0.0,
    )
    with services(spec) as session:
        assert session.status().ready
        os.kill(session.status().worker_pids[0], signal.SIGKILL)
    assert (notes / "odd").read_bytes() == "caf\udce9\n{ready_fd} 汉".encode("utf-8", "surrogateescape")


def test_a_supervisor_that_is_stopped(make_spec: MakeSpec) -> None:
    """A second command does not wait for ever, and says which process to end."""
    spec = make_spec()
    with services(spec) as session:
        pid = session.status().supervisor_pid
        os.kill(pid, signal.SIGSTOP)
        try:
            with (
                pytest.raises(ServiceError, match=rf"does not answer\. End it \(`kill {pid}`\)"),
                services(spec, limit=0.3),
            ):
                pytest.fail("the block must not be entered")
        finally:
            os.kill(pid, signal.SIGCONT)
        assert session.status().ready


def test_services_of_another_version(make_spec: MakeSpec, tmp_path: Path) -> None:
    """A supervisor that speaks another version of the protocol is not taken for ours."""
    spec = make_spec()
    spec.run_folder.mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(spec.run_folder / "s"))
        listener.listen()
        (spec.run_folder / "supervisor.json").write_text(
            json.dumps({"pid": os.getpid(), "control_socket": str(spec.run_folder / "s")})
        )

        def answer() -> None:
            link, _ = listener.accept()
            with link:
                link.recv(65536)
                link.sendall(b'{"version": 99}\n')

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(ServiceError, match=r"another version of Remit \(version 99 instead of 1\)"), services(spec):
            pytest.fail("the block must not be entered")
        thread.join()


def test_a_line_that_is_no_request_cuts_the_connection_only(make_spec: MakeSpec) -> None:
    """The supervisor goes on for the others."""
    spec = make_spec()
    with services(spec) as session:
        control = Path(session.redis_url.removeprefix("unix://")).with_name("control.sock")
        with socket.socket(socket.AF_UNIX) as stranger:
            stranger.settimeout(5)
            stranger.connect(str(control))
            stranger.sendall(b"GET / HTTP/1.1\r\n")
            assert stranger.recv(16) == b""
        assert session.status().ready


def test_hello_with_valkey_answering_comes_quickly(make_spec: MakeSpec) -> None:
    """The best of three starts takes less than a second (about 0.1 s on an idle machine)."""
    spec = make_spec(worker_count=0)
    taken: list[float] = []
    for _ in range(3):
        begin = time.monotonic()
        with services(spec):
            taken.append(time.monotonic() - begin)
    assert min(taken) < 1.0
