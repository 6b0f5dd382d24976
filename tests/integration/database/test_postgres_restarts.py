"""A PostgreSQL that is restarted or does not answer: nothing is lost, done twice or half done."""

import threading
from collections.abc import Callable
from typing import Any

from orchestrator.adapters.sql import open_store
from orchestrator.adapters.sql.care import open_care
from orchestrator.domain.changes import Note, OpenRun
from orchestrator.domain.goal import Goal
from orchestrator.domain.identity import ENGINE
from orchestrator.domain.run import Run, TeamRules
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
