"""A model of the world outside, the time that databases go by too, and tools that act upon it, one place at a time."""

import shutil
import tempfile
import threading
from collections import defaultdict
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from queue import Queue
from typing import Any, Literal

import psycopg
import pytest
from sqlalchemy import make_url

from agents.errors import ToolError
from agents.models.base import Call, ModelReply, ModelRequest, Usage
from agents.tools.function import Happened, NotHappened, Outcome, Tool, ToolContext, ToolResult, Unknown, tool
from orchestrator.domain.effect import EffectIntent
from orchestrator.errors import StoreError

KINDS = ("unsafe", "keyed", "idempotent", "verified")
PLACES = ("after apply", "verify", *(f"{when} {kind}" for kind in KINDS for when in ("before", "after")))
TOOL_SECONDS = 60.0
"""Longer than a lease, so that calls go on when their workers have lost theirs."""
LATE_SECONDS = 8.0
"""What is on its way at the deadline arrives so much later; the grace allows for that."""
PATIENCE = 60.0
"""Seconds of the machine's time that a thread may take from one place to the next; then the test is broken."""
STILL_TIME = """
CREATE TABLE still_time (at timestamptz);
INSERT INTO still_time VALUES (now());
CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS 'SELECT at FROM still_time'
"""
"""Leases go by the clock of PostgreSQL: this one shows what the test says."""
OURS_FIRST = "-csearch_path=public,pg_catalog"

Command = Literal["go", "fail", "crash"]


class StillClock:
    """Time that passes only when the test says so; a database with a clock of its own is told."""

    def __init__(self, tell: Callable[[datetime], None] = lambda _: None) -> None:
        self._now = datetime(2026, 1, 1, tzinfo=UTC)
        self._tell = tell
        tell(self._now)

    def now(self) -> datetime:
        """The present moment."""
        return self._now

    def advance(self, seconds: float) -> None:
        """Time passes."""
        self._now += timedelta(seconds=seconds)
        self._tell(self._now)


class Crash(BaseException):
    """The process is gone: nothing of it runs any more, no `except` and no write."""


class Puppet:
    """A worker's thread that goes on from one place to the next only when it is told to."""

    def __init__(self) -> None:
        self._commands: Queue[Command] = Queue()
        self._places: Queue[str | None] = Queue()
        self._thread: threading.Thread | None = None
        self.place: str | None = None
        self.dead = False
        self.holds: Callable[[], bool] = lambda: True
        """Whether the lease of its worker lasts."""

    def begin(self, work: Callable[[], None]) -> None:
        """Start the work and wait until it comes to its first place, or to its end."""

        def run() -> None:
            try:
                work()
            except (Crash, StoreError):
                pass  # a claim that failed is the pool's to log
            finally:
                self._places.put(None)

        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()
        self.place = self._places.get(timeout=PATIENCE)

    def tell(self, command: Command) -> None:
        """Let it go on to its next place."""
        self._commands.put(command)
        self.place = self._places.get(timeout=PATIENCE)

    def at(self, place: str) -> Command:
        """Called by the work: wait here for what comes next."""
        if self.dead:
            raise Crash
        self._places.put(place)
        command = self._commands.get(timeout=PATIENCE)
        if command == "crash":
            self.dead = True
            raise Crash
        return command


class World:
    """What is outside: it keeps what was done to it, and for each call what was found out in between."""

    def __init__(self, clock: StillClock, intents: Callable[[], list[EffectIntent]]) -> None:
        self._clock = clock
        self._intents = intents
        self.events: defaultdict[str, list[str]] = defaultdict(list)
        self.sure = True
        """False: `verify` cannot tell."""
        self.begun_too_late: list[str] = []
        """Calls that were begun without a lease, or after their deadline."""

    def effects(self, key: str) -> int:
        """How often the call of this key took effect."""
        return self.events[key].count("effect")

    def act(self, kind: str, key: str) -> None:
        """Something is done to the world; what takes a key, or only sets a state, is done once."""
        if kind in {"keyed", "idempotent"} and self.effects(key):
            return
        self.events[key].append("effect")

    def look(self, key: str) -> Outcome:
        """What `verify` finds."""
        if not self.sure:
            return Unknown("the far side does not answer")
        if self.effects(key):
            return Happened(ToolResult("it happened before"))
        self.events[key].append("not happened")
        return NotHappened()

    def begin(self, key: str, puppet: Puppet) -> datetime:
        """A call starts; until when it may act."""
        deadline = next(one.deadline for one in self._intents() if one.key == key)
        if not puppet.holds() or self._clock.now() >= deadline:
            self.begun_too_late.append(key)
        return deadline

    def check_time(self, deadline: datetime) -> None:
        """What a tool that keeps its deadline does before it acts."""
        if self._clock.now() >= deadline + timedelta(seconds=LATE_SECONDS):
            raise ToolError("timeout", "no answer in time")

    def twice(self) -> dict[str, list[str]]:
        """The calls that took effect again though nobody had said in between that they had not."""
        return {key: events for key, events in self.events.items() if _goes_wrong(events)}


def _goes_wrong(events: list[str]) -> bool:
    allowed = 1
    for event in events:
        allowed = min(1, allowed + (event == "not happened")) - (event == "effect")
        if allowed < 0:
            return True
    return False


def careful_tools(world: World, puppet: Puppet) -> list[Tool]:
    """A tool of each kind; each keeps its deadline: nothing comes between its last look at the time and the act."""

    def act(kind: str, key: str) -> ToolResult:
        deadline = world.begin(key, puppet)
        puppet.at(f"before {kind}")
        world.check_time(deadline)
        world.act(kind, key)
        if puppet.at(f"after {kind}") == "fail":
            raise TimeoutError("the answer was lost")
        return ToolResult(f"{key} was done")

    return [*(_made(kind, world, puppet, act) for kind in KINDS), _looking(world, puppet)]


def stopped_tools(world: World, puppet: Puppet) -> list[Tool]:
    """The same, but their process can be stopped inside the send, after the last look at the time."""

    def act(kind: str, key: str) -> ToolResult:
        world.check_time(world.begin(key, puppet))
        puppet.at(f"inside {kind}")
        world.act(kind, key)
        return ToolResult(f"{key} was done")

    return [*(_made(kind, world, puppet, act) for kind in KINDS), _looking(world, puppet)]


def _made(kind: str, world: World, puppet: Puppet, act: Callable[[str, str], ToolResult]) -> Tool:
    def verify(arguments: Any, context: ToolContext) -> Outcome:
        puppet.at("verify")
        return world.look(context.idempotency_key)

    effect: Any = "unsafe" if kind == "verified" else kind
    verified = verify if kind == "verified" else None

    @tool(kind, effect=effect, use_when="x", not_when="y", seconds=TOOL_SECONDS, verify=verified)
    def made(nth: int, context: ToolContext) -> ToolResult:
        """Do something to the world."""
        return act(kind, context.idempotency_key)

    return made


def _looking(world: World, puppet: Puppet) -> Tool:
    @tool("look", effect="read", use_when="x", not_when="y")
    def look(nth: int) -> ToolResult:
        """Look at the world."""
        if not puppet.holds():
            world.begun_too_late.append("look")
        return ToolResult(f"in round {nth} it is there")

    return look


class Caller:
    """A model that calls all tools, some times over, and then answers."""

    name = "caller"

    def __init__(self, rounds: int) -> None:
        self._rounds = rounds

    def complete(self, request: ModelRequest) -> ModelReply:
        """All calls in one reply, in another order each time."""
        nth = 1 + sum(bool(message.calls) for message in request.messages)
        if nth > self._rounds:
            return ModelReply("done", (), "stop", Usage("caller"))
        names = ("unsafe", "look", "keyed", "verified", "idempotent")[:: 1 if nth % 2 else -1]
        calls = tuple(Call(f"c{request.step}.{n}", name, {"nth": nth}) for n, name in enumerate(names))
        return ModelReply("", calls, "calls", Usage("caller"))


@dataclass(frozen=True)
class Outside:
    """All of it, for those who cannot import it."""

    clock: type[StillClock] = StillClock
    puppet: type[Puppet] = Puppet
    world: type[World] = World
    model: type[Caller] = Caller
    careful_tools: Callable[[World, Puppet], list[Tool]] = careful_tools
    stopped_tools: Callable[[World, Puppet], list[Tool]] = stopped_tools
    places: tuple[str, ...] = PLACES


@pytest.fixture
def outside() -> Outside:
    """The world outside, its time, and what acts upon it."""
    return Outside()


Place = Callable[[], AbstractContextManager[tuple[str, StillClock]]]
"""Makes an empty store: where it is, and the clock that it goes by."""


@pytest.fixture
def in_a_file(migrated_file: Path) -> Place:
    """On SQLite, each in a folder of its own."""

    @contextmanager
    def place() -> Generator[tuple[str, StillClock]]:
        with tempfile.TemporaryDirectory(prefix="remit-effects-") as folder:
            shutil.copy(migrated_file, Path(folder) / "remit.db")
            yield f"sqlite:///{Path(folder) / 'remit.db'}", StillClock()

    return place


@pytest.fixture(scope="session")
def still_url(postgres: Any) -> str:
    """A database on PostgreSQL whose own clock stands still."""
    url = postgres.new_database()
    with psycopg.connect(url) as connection:
        connection.execute(STILL_TIME)
    return str(url)


@pytest.fixture
def on_a_server(postgres: Any, still_url: str) -> Generator[Place]:
    """On PostgreSQL, one after the other in the same database."""
    url = make_url(still_url).update_query_dict({"options": OURS_FIRST}).render_as_string(hide_password=False)
    with psycopg.connect(still_url, autocommit=True) as connection:

        def tell(now: datetime) -> None:
            connection.execute("UPDATE still_time SET at = %s", (now,))

        @contextmanager
        def place() -> Generator[tuple[str, StillClock]]:
            assert postgres.emptied(still_url)
            yield url, StillClock(tell)

        yield place


@pytest.fixture
def place(request: pytest.FixtureRequest, database: str) -> Place:
    """Makes an empty store, once on each database."""
    chosen: Place = request.getfixturevalue("in_a_file" if database == "sqlite" else "on_a_server")
    return chosen
