"""Servers that die, hang, or do not want to end; and workers that are killed under them."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from agents.errors import ToolError
from agents.tools.mcp import connection, session
from agents.tools.mcp.declared import McpServer
from agents.tools.mcp.failures import NotRunError

Bare = Callable[..., McpServer]

MORTAL = """
def call(name, arguments):
    with open("calls", "a") as file: file.write("x")
    if arguments.get("n") == 0:
        print("out of cheese", file=sys.stderr, flush=True)
        os._exit(3)
    return say(str(os.getpid()))
"""
STUBBORN = """
for number in (signal.SIGTERM, signal.SIGINT): signal.signal(number, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"])
def call(name, arguments): return say(json.dumps([os.getpid(), os.getppid(), child.pid]))
def ended():
    while True: time.sleep(600)
"""
WORKER = """
import json, os, sys, time
from agents.tools.mcp.declared import McpServer, Offer
from agents.tools.mcp.servers import McpServers
from orchestrator.ports.clock import Deadline
server = McpServer.model_validate_json(sys.argv[1])
servers = McpServers(dict(os.environ))
schema = servers.tools(server)["work"].input_schema
offer = Offer(name="work", description="…", arguments=schema, effect="unsafe")
print(servers.call(server, offer, {}, Deadline.after(20)).content[0].text, flush=True)
time.sleep(600)
"""


def alive(pid: int) -> bool:
    """True while the process runs."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_a_server_that_dies_in_a_call_is_started_again(desk: Any, bare: Bare, tmp_path: Path) -> None:
    """The call is an error that says so, is not sent twice, and the next one meets a new process."""
    work = desk.tool(bare(MORTAL), "work")
    before = desk.run(work, n=1).data
    with pytest.raises(ToolError) as caught:
        desk.run(work, n=0)
    after = desk.run(work, n=1).data
    assert caught.value.code == "tool_crashed"
    assert caught.value.what == (
        "bare.work: the server `bare` ended before it answered; it last said: out of cheese; "
        "the process ended with exit code 3"
    )
    assert caught.value.retryable is False  # it may have taken effect
    assert before != after
    assert (tmp_path / "calls").read_text("utf-8") == "xxx"


def test_a_call_that_only_reads_may_be_tried_again(desk: Any, bare: Bare) -> None:
    """After the same death."""
    change = f"TOOLS[0]['annotations'] = {{'readOnlyHint': True}}\n{MORTAL}"
    with pytest.raises(ToolError) as caught:
        desk.run(desk.tool(bare(change), "work", "read"), n=0)
    assert caught.value.code == "tool_crashed"
    assert caught.value.retryable is True


def test_a_server_that_died_between_calls_costs_no_call(desk: Any, bare: Bare, eventually: Any) -> None:
    """It is started again before the call is sent."""
    server = bare(MORTAL)
    work = desk.tool(server, "work")
    first = int(desk.run(work, n=1).data)
    assert desk.servers.is_up(server)
    os.kill(first, signal.SIGKILL)
    eventually(lambda: not desk.servers.is_up(server))
    assert int(desk.run(work, n=1).data) != first


def test_a_server_that_keeps_dying_is_left_alone_for_a_while(
    desk: Any, bare: Bare, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Longer each time; the agent is told why, instead of waiting for it."""
    monkeypatch.setattr(connection, "FIRST_PAUSE", 30.0)
    work = desk.tool(bare(MORTAL), "work")
    for _ in range(2):
        with pytest.raises(ToolError, match="ended before it answered"):
            desk.run(work, n=0)
    with pytest.raises(ToolError) as caught:
        desk.run(work, n=1)
    assert caught.value.code == "server_unavailable"
    assert caught.value.what.startswith(
        "bare.work was not run: the server `bare` failed 2 times in a row; it is started again in "
    )
    assert caught.value.retryable is True


def test_a_short_pause_is_waited_for(desk: Any, bare: Bare, monkeypatch: pytest.MonkeyPatch) -> None:
    """And a call that is answered ends the counting."""
    monkeypatch.setattr(connection, "FIRST_PAUSE", 0.05)
    work = desk.tool(bare(MORTAL), "work")
    for _ in range(3):
        with pytest.raises(ToolError, match="ended before it answered"):
            desk.run(work, n=0)
    assert desk.run(work, n=1).data.isdecimal()
    monkeypatch.setattr(connection, "FIRST_PAUSE", 30.0)
    with pytest.raises(ToolError, match="ended before it answered"):
        desk.run(work, n=0)
    assert desk.run(work, n=1).data.isdecimal()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("import no_such_module", "No module named 'no_such_module'; the process ended with exit code 1"),
        ("print('I am no server', flush=True); sys.exit(0)", "it cannot be used: no answer came: Connection closed"),
        ("sys.exit('the licence has expired')", "it last said: the licence has expired; the process ended with exit"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "the process ended by SIGSEGV"),
        ("STARTED['protocolVersion'] = '1066-10-14'", "Unsupported protocol version from the server: 1066-10-14"),
        ("def listed(): return {'tools': 'none'}", "it cannot be used: ValidationError"),
    ],
)
def test_a_server_that_does_not_start_says_why(desk: Any, bare: Bare, change: str, why: str) -> None:
    """With its own last words."""
    with pytest.raises(NotRunError) as caught:
        desk.servers.tools(bare(change))
    assert str(caught.value).startswith("the server `bare`: it cannot be used: ")
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_program_that_there_is_not(desk: Any, tmp_path: Path) -> None:
    """Its name is told."""
    server = McpServer(name="lost", folder=str(tmp_path), command=("no-such-program", "--stdio"))
    with pytest.raises(NotRunError, match="`no-such-program` cannot be started: No such file or directory"):
        desk.servers.tools(server)


def test_a_server_that_hangs_at_its_start(desk: Any, bare: Bare) -> None:
    """It has its time, then the call is told, and nobody waits for its end."""
    server = bare("print('warming up', file=sys.stderr, flush=True); time.sleep(600)", start_seconds=0.4)
    begun = time.monotonic()
    with pytest.raises(NotRunError) as caught:
        desk.servers.tools(server)
    assert str(caught.value) == "the server `bare`: it did not get ready within 0.4 s; it last said: warming up"
    assert time.monotonic() - begun < 30.0


def test_a_slow_start_counts_for_the_call(desk: Any, bare: Bare) -> None:
    """The call ends at its own deadline and says that nothing was run; the start goes on for the next."""
    server = bare("time.sleep(1.0)")
    work = desk.tool(server, "work", schema={"type": "object", "properties": {"n": {"type": "integer"}}})
    with pytest.raises(ToolError) as caught:
        desk.run(work, 0.3)
    assert caught.value.code == "server_unavailable"
    assert caught.value.what == "bare.work was not run: the server `bare` was not ready in time"
    assert "work {} in" in desk.run(work).data


def test_a_server_that_answers_nothing_any_more_is_replaced(
    desk: Any, bare: Bare, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a call that was too late it is asked for its tools; when that stays unanswered too, it is ended."""
    monkeypatch.setattr(connection, "PROBE_SECONDS", 0.3)
    change = """
def call(name, arguments):
    if arguments.get("n") == 0: time.sleep(600)
    return say(str(os.getpid()))
"""
    work = desk.tool(bare(change), "work")
    first = desk.run(work, n=1).data
    with pytest.raises(ToolError, match="did not answer within"):
        desk.run(work, 0.3, n=0)
    assert desk.run(work, n=1).data != first


def test_a_server_that_only_was_slow_is_kept(desk: Any, bare: Bare) -> None:
    """It shows that it lives, and keeps what it holds in memory."""
    change = """
def call(name, arguments):
    if arguments.get("n") == 0: return None
    return say(str(os.getpid()))
"""
    work = desk.tool(bare(change), "work")
    first = desk.run(work, n=1).data
    with pytest.raises(ToolError, match="did not answer within"):
        desk.run(work, 0.2, n=0)
    assert desk.run(work, n=1).data == first


def test_a_server_that_does_not_read(desk: Any, bare: Bare, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full pipe keeps no thread for longer than its deadline."""
    monkeypatch.setattr(connection, "PROBE_SECONDS", 0.1)
    change = "def call(name, arguments): time.sleep(600)"
    server = bare(change.replace("def", "TOOLS[0]['inputSchema'] = {'type': 'object'}\ndef"))
    work = desk.tool(server, "work")
    begun = time.monotonic()
    for _ in range(2):
        with pytest.raises(ToolError, match="did not answer within"):
            desk.run(work, 1.0, text="x" * 1_000_000)
    assert time.monotonic() - begun < 60.0


def test_a_server_that_nobody_calls_is_let_go(
    desk: Any, bare: Bare, monkeypatch: pytest.MonkeyPatch, eventually: Any
) -> None:
    """Its process ends; the next call starts it again, and no death is counted."""
    monkeypatch.setattr(session, "IDLE_SECONDS", 0.1)
    work = desk.tool(bare(MORTAL), "work")
    first = int(desk.run(work, n=1).data)
    eventually(lambda: not alive(first))
    assert int(desk.run(work, n=1).data) != first


def test_all_that_a_server_started_ends_with_it(desk: Any, bare: Bare, eventually: Any) -> None:
    """Also a server that ignores a closed input and a polite request."""
    pids = desk.run(desk.tool(bare(STUBBORN), "work")).data
    assert all(alive(pid) for pid in pids)
    desk.servers.close()
    eventually(lambda: not any(alive(pid) for pid in pids))


def test_a_worker_that_is_killed_leaves_no_server(bare: Bare, eventually: Any) -> None:
    """SIGKILL to the worker: its server, which ignores everything, the server's child and the guard are gone."""
    server = bare(STUBBORN)
    worker = subprocess.Popen(
        [sys.executable, "-c", WORKER, server.model_dump_json()], stdout=subprocess.PIPE, text=True
    )
    assert worker.stdout is not None
    with worker.stdout:
        pids = json.loads(worker.stdout.readline())
        assert len(pids) == 3
        assert all(alive(pid) for pid in pids)
        worker.kill()
        worker.wait(20)
    eventually(lambda: not any(alive(pid) for pid in pids))


def test_a_guard_that_is_killed_takes_its_server_along(desk: Any, bare: Bare, eventually: Any) -> None:
    """Or nobody would end the server any more; the next call has a new one."""
    stubborn = bare(STUBBORN)
    work = desk.tool(stubborn, "work")
    server, guard, child = desk.run(work).data
    os.kill(guard, signal.SIGKILL)
    eventually(lambda: not alive(server))
    os.kill(child, signal.SIGKILL)  # it holds the server's output
    eventually(lambda: not desk.servers.is_up(stubborn))
    assert desk.run(work).data[0] != server


def test_closing_ends_calls_that_are_under_way(desk: Any, bare: Bare) -> None:
    """Their threads are told; nothing is started after that."""
    work = desk.tool(bare(), "work")
    desk.run(work)
    desk.servers.close()
    with pytest.raises(ToolError) as caught:
        desk.run(work)
    assert caught.value.code == "server_unavailable"
