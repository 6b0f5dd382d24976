"""The warden: does what comes from outside, to the supervisor, to workers, broker and database."""

import os
import signal
import sqlite3
import threading
import time
from collections.abc import Mapping
from contextlib import closing, suppress

import psutil
import psycopg

from workers.chaos.faults import cut, flush
from workers.chaos.hits import Hits
from workers.chaos.plan import Plan
from workers.chaos.points import POINTS, Fault
from workers.proof.stage import Stage

LOCKED_SECONDS = 1.0
OUTSIDE_EVERY = 3.0


class Warden:
    """Called again and again while a round goes on."""

    def __init__(self, stage: Stage, plan: Plan) -> None:
        self._stage = stage
        self._plan = plan
        self._hits = Hits(stage.folder)
        self._outside_at = time.monotonic() + OUTSIDE_EVERY

    def tick(self) -> None:
        """Do what is due."""
        if time.monotonic() >= self._outside_at:
            self._outside_at = time.monotonic() + OUTSIDE_EVERY
            self._attack()

    def _attack(self) -> None:
        state = self._stage.session.status()
        broker = state.broker_pid
        brood = next((one.pid for one in state.workers), None)
        workers = _children(brood) if brood else []
        for pid in self._met("outside.workers", {"kill": workers}) if workers else ():
            _kill(pid)
        for pid in self._met("outside.broker", {"kill": [broker]}) if broker else ():
            _kill(pid)
        if self._hits_one("outside.database"):
            threading.Thread(target=self._break_database, daemon=True).start()
        # Last: broker and workers die with it, and the next look at the services has to bring all of them back.
        for pid in self._met("outside.supervisor", {"kill": [state.supervisor_pid]}):
            _kill(pid)

    def _met(self, name: str, pids: Mapping[Fault, list[int]]) -> list[int]:
        fault = self._hits.hit(POINTS[name], self._plan, os.getpid())
        if fault == "flush":
            flush(self._stage.session.broker_url)
        elif fault == "cut":
            cut(self._stage.session.broker_url)
        return pids.get(fault, []) if fault else []

    def _hits_one(self, name: str) -> bool:
        return self._hits.hit(POINTS[name], self._plan, os.getpid()) is not None

    def _break_database(self) -> None:
        url = self._stage.settings.database
        with suppress(sqlite3.Error, psycopg.Error):
            if url.startswith("sqlite:///"):
                _lock(url.removeprefix("sqlite:///"))
            else:
                _cut_connections(url)


def _lock(path: str) -> None:
    """Hold the write lock of a SQLite file, as a backup or a careless person would."""
    with closing(sqlite3.connect(path, isolation_level=None, timeout=10)) as database:
        database.execute("BEGIN IMMEDIATE")
        time.sleep(LOCKED_SECONDS)
        database.execute("ROLLBACK")


def _cut_connections(url: str) -> None:
    """End every connection to a PostgreSQL database but this one."""
    query = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> %s"
    with psycopg.connect(url.replace("postgresql+psycopg:", "postgresql:"), autocommit=True) as connection:
        connection.execute(query, (connection.info.backend_pid,))


def _children(pid: int) -> list[int]:
    with suppress(psutil.Error):
        return [one.pid for one in psutil.Process(pid).children()]
    return []


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
