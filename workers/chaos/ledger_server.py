"""The outer system of the proof, a process of its own: it does what tools ask for and records every request.

Started as `python -m workers.chaos.ledger_server FOLDER`; it prints its port, and ends when its standard input does.
"""

import json
import os
import signal
import sqlite3
import sys
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from workers.chaos.hits import Hits
from workers.chaos.plan import Plan, read_plan
from workers.chaos.points import POINTS

LEDGER_FILE = "ledger.db"
ISOLATED = frozenset({"send"})
"""What tools ask for in a child process of their worker."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS arrivals (
    n INTEGER PRIMARY KEY, key TEXT NOT NULL, run TEXT NOT NULL, tool TEXT NOT NULL, number INTEGER NOT NULL,
    done INTEGER NOT NULL)
"""


_OF_NUMBER = "tool = ? AND run = ? AND number = ?"


class Books:
    """What was asked for, and what was done: one row a request, written before it is answered."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self._database = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._database.execute("PRAGMA journal_mode=WAL")
        self._database.execute(_SCHEMA)

    def do(self, key: str, tool: str, number: int) -> None:
        """Do it: a `pay` or an `unpay` once a key, a `put` or an `unput` only where it changes something, anything
        else as often as it is asked for."""
        run = key.partition("/")[0]
        with self._lock:
            match tool:
                case "pay" | "unpay":
                    changes = not self._count("tool = ? AND key = ?", tool, key)
                case "put" | "unput":
                    put, back = (self._count(_OF_NUMBER, one, run, number) for one in ("put", "unput"))
                    changes = (put > back) == (tool == "unput")
                case _:
                    changes = True
            self._database.execute(
                "INSERT INTO arrivals (key, run, tool, number, done) VALUES (?, ?, ?, ?, ?)",
                (key, run, tool, number, changes),
            )

    def _count(self, where: str, *values: str | int) -> int:
        query = f"SELECT count(*) FROM arrivals WHERE done AND {where}"  # noqa: S608  # two texts of ours
        return self._database.execute(query, values).fetchone()[0]

    def happened(self, key: str) -> bool:
        """True when a request with this key was carried out."""
        with self._lock:
            query = "SELECT 1 FROM arrivals WHERE key = ? AND done"
            return self._database.execute(query, (key,)).fetchone() is not None


class Disturbance:
    """What the outer system does to whoever asks it."""

    def __init__(self, folder: Path) -> None:
        self._plan: Plan = read_plan(folder)
        self._hits = Hits(folder)

    def keeps_line(self, point: str, pid: int) -> bool:
        """Meet a fault on behalf of the process that asks; False: its connection is dropped."""
        fault = self._hits.hit(POINTS[point], self._plan, pid)
        number = {"kill": signal.SIGKILL, "stop": signal.SIGSTOP}.get(fault or "")
        if number is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, number)
        return fault != "cut"


class Requests(BaseHTTPRequestHandler):
    """Answers POST /look, /happened, /put, /pay, /send, /post and /unput, /unpay, /unsend, /unpost, which undo them;
    the body says who asks for what."""

    books: Books
    disturbance: Disturbance

    def do_POST(self) -> None:
        """Take a request, do it, answer it; each of the three may be the last that the asker sees."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if len(body) < int(self.headers["Content-Length"]):
            self.close_connection = True  # whoever asked died in the middle: nothing was asked
            return
        asked = json.loads(body)
        tool = self.path[1:]
        reads = tool in {"look", "happened"}
        point = "look" if reads else "back" if tool.startswith("un") else "child" if tool in ISOLATED else "send"
        if not self._keeps_line(f"{point}.arrived", asked["pid"]):
            return
        answer = self._done(tool, asked)
        if not reads and not self._keeps_line(f"{point}.done", asked["pid"]):
            return
        told = json.dumps(answer).encode()
        with suppress(OSError):  # the asker may be dead
            self.send_response(200)
            self.send_header("Content-Length", str(len(told)))
            self.end_headers()
            self.wfile.write(told)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # its name in the base class
        """The rows tell everything."""

    def _keeps_line(self, point: str, pid: int) -> bool:
        if self.disturbance.keeps_line(point, pid):
            return True
        self.close_connection = True
        return False

    def _done(self, tool: str, asked: dict[str, Any]) -> dict[str, Any]:
        match tool:
            case "look":
                return {"price": price(asked["number"])}
            case "happened":
                return {"happened": self.books.happened(asked["key"])}
            case _:
                self.books.do(asked["key"], tool, asked["number"])
                return {"ok": True}


def price(number: int) -> int:
    """What an order costs."""
    return 100 + 7 * number


def main() -> None:
    """Serve until standard input ends."""
    folder = Path(sys.argv[1])
    books = Books(folder / LEDGER_FILE)
    serving = type("ServedRequests", (Requests,), {"books": books, "disturbance": Disturbance(folder)})
    with ThreadingHTTPServer(("127.0.0.1", 0), serving) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        sys.stdout.write(f"{server.server_port}\n")
        sys.stdout.flush()
        sys.stdin.read()
        server.shutdown()


if __name__ == "__main__":
    main()
