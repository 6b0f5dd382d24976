"""Tools for children to run, written as a module that both sides can import."""

import importlib
import sys
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from agents.errors import ToolError
from agents.isolation import Isolation
from agents.tools.function import Ask, Tool, ToolResult
from orchestrator.ports.clock import Deadline

MEBIBYTE = 1024 * 1024

SOURCE = '''
"""Heavy tools for tests."""
import ctypes, mmap, os, signal, subprocess, sys, threading, time
from datetime import date
from decimal import Decimal
from agents.errors import ToolError
from agents.tools.function import Ask, ToolContext, ToolResult, tool
from orchestrator.domain.ticket import TicketDraft
from orchestrator.errors import StoreError

def heavy(name, **more):
    options = {"effect": "read", "use_when": "always", "not_when": "never", "isolated": True} | more
    return tool(name, **options)

@heavy("add")
def add(a: Decimal, b: Decimal) -> ToolResult:
    """Add."""
    return ToolResult("sum", {"sum": a + b, "pid": os.getpid(), "day": date(2026, 1, 2)},
                      shown={"sum": a + b}, artifacts={"sum.bin": bytes(range(256)) * 1000}, empty=True)

@heavy("look")
def look(context: ToolContext) -> ToolResult:
    """Look at the run."""
    print("looking")
    data = [str(context.input("left")), dict(context.input_names()), context.observed("E1.1"),
            context.idempotency_key, context.deadline.at]
    return ToolResult("seen", data)

@heavy("look.further")
def look_further(context: ToolContext) -> ToolResult:
    """Look at the files of the run, and at what is set for tools."""
    name = next(iter(context.files()))
    data = [context.files(), str(context.file(name)), context.setting("color"), context.setting("sound")]
    return ToolResult("seen", data)

@heavy("miss")
def miss(context: ToolContext) -> ToolResult:
    """Ask for what is not there."""
    try:
        context.input("middle")
    except ToolError as error:
        return ToolResult("missed", [error.code, error.what, error.mend, error.retryable])
    return ToolResult("found")

@heavy("away")
def away(context: ToolContext) -> ToolResult:
    """Ask for what cannot be had now."""
    context.observed("E9.9")
    return ToolResult("found")

@heavy("ask")
def ask() -> Ask:
    """Ask a person."""
    return Ask(TicketDraft(question="Which one?", answer_type="text"))

@heavy("hog")
def hog() -> ToolResult:
    """Take all memory in Python."""
    taken = []
    while True:
        taken.append(bytearray(8_000_000))

@heavy("hog.native")
def hog_native() -> ToolResult:
    """Take memory as native code does, then follow the null pointer it gets."""
    allocate = ctypes.CDLL(None).malloc
    allocate.restype = ctypes.c_void_p
    allocate.argtypes = [ctypes.c_size_t]
    while True:
        ctypes.memset(allocate(8_000_000), 1, 8_000_000)

@heavy("hog.duckdb")
def hog_duckdb() -> ToolResult:
    """Take memory in DuckDB."""
    import duckdb
    connection = duckdb.connect(config={"memory_limit": "100GB", "threads": 1})
    connection.execute("SELECT list(repeat('x', 1000) || i) FROM range(10000000) t(i)").fetchall()
    return ToolResult("done")

@heavy("segfault")
def segfault() -> ToolResult:
    """Crash."""
    print("about to crash", file=sys.stderr)
    ctypes.string_at(0)
    return ToolResult("alive")

@heavy("leave")
def leave(code: int) -> ToolResult:
    """End the process."""
    os._exit(code)

@heavy("raise")
def raise_it() -> ToolResult:
    """Raise."""
    raise ValueError("no column «Betrag»")

@heavy("refuse")
def refuse() -> ToolResult:
    """Refuse."""
    raise ToolError("no_such_row", "row 7 does not exist", retryable=True, hint="Take 1 to 6.")

@heavy("nan")
def nan() -> ToolResult:
    """Return what JSON cannot hold."""
    return ToolResult("x", {"rows": [float("nan")]})

@heavy("sleep", seconds=0.4)
def sleep(name: str) -> ToolResult:
    """Sleep with a child of one's own, deaf to signals."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    subprocess.Popen([sys.executable, "-c", "import sys, time; time.sleep(600)", name])
    time.sleep(600)
    return ToolResult("awake")

@heavy("spin", seconds=0.4)
def spin() -> ToolResult:
    """Hold the GIL for ever."""
    return ToolResult(str(pow(3, 10**9)))

@heavy("chat", seconds=0.4)
def chat() -> ToolResult:
    """Print for ever."""
    while True:
        print("x" * 1000)

@heavy("mark")
def mark(seconds: float, name: str) -> ToolResult:
    """Wait, under a name that the process table shows."""
    subprocess.run([sys.executable, "-c", "import sys, time; time.sleep(float(sys.argv[1]))", str(seconds), name])
    return ToolResult(name)

@heavy("hold")
def hold(sign: str) -> ToolResult:
    """Wait for a file, and say by another that one waits."""
    open(sign + ".held", "w").close()
    while not os.path.exists(sign):
        time.sleep(0.01)
    return ToolResult("held")

@heavy("thread.count")
def thread_count() -> ToolResult:
    """Count modules and threads."""
    import wave
    return ToolResult("x", {"late": "wave" in sys.modules, "threads": len(os.listdir("/proc/self/task"))})

@heavy("signals")
def signals() -> ToolResult:
    """Say how signals are set."""
    names = ("SIGINT", "SIGTERM", "SIGHUP", "SIGCHLD")
    return ToolResult("x", {name: signal.getsignal(getattr(signal, name)) == signal.SIG_DFL for name in names})

STATE = []

@heavy("remember")
def remember() -> ToolResult:
    """Leave something behind."""
    STATE.append(1)
    return ToolResult("x", len(STATE))
'''


@dataclass(frozen=True)
class Context:
    """What a tool may see of the run."""

    deadline: Deadline = field(default_factory=lambda: Deadline.after(60))
    idempotency_key: str = "r/s#1.c1.0"

    def input(self, name: str) -> Path:
        """The input `left`."""
        if name != "left":
            raise ToolError("unknown_input", f"the goal has no input `{name}`", hint="It has: left.")
        return Path("/inputs/left.csv")

    def input_names(self) -> Mapping[str, str]:
        """One name."""
        return {"left": "Ledger – März.csv"}

    def observed(self, ref: str) -> Any:
        """One observation; another one cannot be had now."""
        if ref != "E1.1":
            raise importlib.import_module("orchestrator.errors").StoreError("the database did not answer")
        return {"rows": [1, "上海", None]}

    def files(self) -> Mapping[str, int]:
        """One file."""
        return {"E1.1/report.md": 12}

    def file(self, name: str) -> Path:
        """Where it lies."""
        return Path("/blobs") / name

    def setting(self, name: str) -> str | None:
        """One is set."""
        return {"color": "blau"}.get(name)


@pytest.fixture(scope="session")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Generator[ModuleType]:
    """The module with the tools."""
    folder = tmp_path_factory.mktemp("modules")
    (folder / "heavy_tools_for_tests.py").write_text(SOURCE, "utf-8")
    sys.path.insert(0, str(folder))
    yield importlib.import_module("heavy_tools_for_tests")
    sys.path.remove(str(folder))


@pytest.fixture(scope="module")
def isolation() -> Generator[Isolation]:
    """Children with 400 MiB each."""
    made = Isolation(memory=400 * MEBIBYTE)
    yield made
    made.close()


Run = Callable[..., ToolResult | Ask]


@pytest.fixture
def run(tools: ModuleType, isolation: Isolation) -> Run:
    """Run a tool by its name, for at most as long as it may take, or until it is stopped."""
    by_name = {tool.name: tool for tool in vars(tools).values() if isinstance(tool, Tool)}

    def run_one(name: str, stopped: Callable[[], bool] | None = None, /, **arguments: Any) -> ToolResult | Ask:
        tool = by_name[name]
        deadline = Deadline.after(tool.seconds, stopped)
        return isolation.run(tool, tool.arguments(**arguments), Context(deadline), deadline)

    return run_one
