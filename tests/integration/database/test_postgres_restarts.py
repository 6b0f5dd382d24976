"""A PostgreSQL that is restarted or does not answer: nothing is lost, done twice or half done."""

import socket
import tempfile
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
from sqlalchemy import make_url

from orchestrator.adapters.sql import open_store
from orchestrator.adapters.sql.care import open_care
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.domain.changes import AddSubtasks, Fence, Note, OpenRun, SaveStep
from orchestrator.domain.goal import Goal
from orchestrator.domain.identity import ENGINE
from orchestrator.domain.observation import Observation
from orchestrator.domain.run import Run, TeamRules
from orchestrator.domain.step import Step
from orchestrator.domain.subtask import NewSubtask, SubtaskSpec
from orchestrator.errors import StoreError
from orchestrator.ports.clock import SystemClock

WRITERS = 4
AFTERWARDS = 20


def new_run(run_id: str) -> Run:
    rules = TeamRules(team="demo", specialists=("worker",))
    moment = SystemClock().now()
    return Run(id=run_id, tenant="acme", goal=Goal(text="x"), rules=rules, team_blob="b", trace="t", created_at=moment)


def test_a_restart_between_two_calls_is_not_noticed(own_postgres: Any) -> None:
    """The pool's connections are dead, and made again."""
    store = open_store(own_postgres.new_database(), SystemClock())
    store.apply([OpenRun(new_run("r1"))])
    store.register("w1", 60)
    own_postgres.restart()
    assert store.renew("w1", 60)
    store.apply([Note("r1", ENGINE, "after")])
    assert [one.action for one in store.audit("r1")] == ["after"]
    store.close()


def at_work(store: SqlStore) -> Fence:
    """A subtask that a worker has claimed, and its fence for a first step."""
    spec = SubtaskSpec(kind="specialist", agent="worker", title="A", instruction="A.")
    new = NewSubtask(id="r1/a", run_id="r1", key="a", version=1, spec=spec)
    store.apply([OpenRun(new_run("r1")), AddSubtasks("r1", (new,))])
    store.register("w1", 600)
    claimed = store.claim("r1/a", "w1")
    assert claimed is not None
    return Fence("r1/a", "w1", claimed.epoch, 1)


def first_step() -> SaveStep:
    seen = Observation(ref="E1.1", tool="look", ok=True, summary="s", content="{}", size=2)
    return SaveStep("r1/a", Step(n=1, text="看", seconds=1.5), (seen,))


def assert_stored_once(store: SqlStore) -> None:
    assert store.steps("r1/a") == [first_step().step]
    assert list(store.observations("r1").values()) == list(first_step().observations)
    assert store.worked("r1") == (1, 1.5)


def test_a_step_after_a_restart_is_stored(own_postgres: Any) -> None:
    """Its connection is dead, and made again; nobody hears of it."""
    store = open_store(own_postgres.new_database(), SystemClock())
    fence = at_work(store)
    own_postgres.restart()
    store.apply([first_step()], fence)
    assert_stored_once(store)
    store.close()


def test_a_step_whose_session_is_ended_is_stored_once(
    own_postgres: Any, eventually: Callable[[Callable[[], bool]], None]
) -> None:
    """The server ends it while the step waits for a lock: it is written anew, behind its fence."""
    url = own_postgres.new_database()
    store = open_store(url, SystemClock())
    fence = at_work(store)
    with psycopg.connect(url) as other, ThreadPoolExecutor(1) as pool:
        other.execute("SELECT 1 FROM subtasks WHERE id = 'r1/a' FOR UPDATE")
        saving = pool.submit(store.apply, [first_step()], fence)
        ended: list[Any] = []

        def ends_it() -> bool:
            blocked = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            with psycopg.connect(url, autocommit=True) as third:
                ended.extend(third.execute(blocked).fetchall())
            return bool(ended)

        eventually(ends_it)
        other.rollback()
        saving.result(60)
    assert_stored_once(store)
    store.close()


@contextmanager
def cutting(url: str) -> Generator[tuple[str, threading.Event]]:
    """A way to the server that is cut when it next answers, once the event is set: the answer is lost."""
    armed = threading.Event()
    ends: list[socket.socket] = []
    threads: list[threading.Thread] = []

    def forward(source: socket.socket, to: socket.socket, cut: threading.Event | None = None) -> None:
        while data := _received(source):
            if cut and cut.is_set():
                cut.clear()
                break
            to.sendall(data)
        for one in (source, to):
            _shut(one)

    def serve(listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                client, server = listener.accept()[0], socket.socket(socket.AF_UNIX)
                ends.extend((client, server))
                server.connect(f"{make_url(url).query['host']}/.s.PGSQL.5432")
                start(forward, client, server)
                start(forward, server, client, armed)

    def start(target: Callable[..., None], *arguments: object) -> None:
        threads.append(threading.Thread(target=target, args=arguments))
        threads[-1].start()

    with tempfile.TemporaryDirectory(prefix="remit-way-", dir="/tmp") as folder, socket.socket(socket.AF_UNIX) as made:
        made.bind(f"{folder}/.s.PGSQL.5432")
        made.listen()
        start(serve, made)
        try:
            yield str(make_url(url).update_query_dict({"host": folder})), armed
        finally:
            _shut(made)
            for thread in threads:
                thread.join(20)
            for one in ends:
                one.close()


def _received(source: socket.socket) -> bytes:
    try:
        return source.recv(65536)
    except OSError:
        return b""


def _shut(one: socket.socket) -> None:
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)


def test_a_step_whose_answer_is_lost_is_stored_once(own_postgres: Any) -> None:
    """It was committed and nobody heard so: it is found, not written again, and its worker goes on."""
    url = own_postgres.new_database()
    with cutting(url) as (way, armed):
        store = open_store(way, SystemClock())
        fence = at_work(store)
        armed.set()
        store.apply([first_step()], fence)
        assert not armed.is_set()
        assert_stored_once(store)
        store.apply([SaveStep("r1/a", Step(n=2))], fence)
        assert [one.n for one in store.steps("r1/a")] == [1, 2]
        store.close()


def test_restarts_while_many_write(own_postgres: Any, eventually: Callable[[Callable[[], bool]], None]) -> None:
    """What was acknowledged is there once; what was refused may be there where that is said, and only then."""
    url = own_postgres.new_database()
    store = open_store(url, SystemClock())
    store.apply([OpenRun(new_run("r1"))])
    acknowledged: list[str] = []
    unsure: list[str] = []
    ended = threading.Event()

    def write(writer: int) -> None:
        number = 0
        while not ended.is_set():
            number += 1
            name = f"{writer}.{number}"
            try:
                store.apply([Note("r1", ENGINE, name)])
                acknowledged.append(name)
            except StoreError as error:
                if "it may have been done" in str(error):
                    unsure.append(name)

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(WRITERS)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(2):
            before = len(acknowledged)
            eventually(lambda before=before: len(acknowledged) >= before + AFTERWARDS)
            own_postgres.restart()
        before = len(acknowledged)
        eventually(lambda: len(acknowledged) >= before + AFTERWARDS)
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    written = [one.action for one in store.audit("r1")]
    assert len(written) == len(set(written))
    assert set(acknowledged) <= set(written)
    assert set(written) <= {*acknowledged, *unsure}
    store.close()
    care = open_care(url, SystemClock())
    assert list(care.damage()) == []
    care.close()
