"""Ctrl-C ends every command with one clear line, the exit code of shells, and nothing left running."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

TOIL = Path(__file__).parent / "crash" / "toil"
INTERRUPTED = 130
WHILE_LOADING = """
import sys

wanted = sys.argv.pop()

class Interrupting:
    def find_spec(self, name, path, target=None):
        if name == wanted:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupting())
from workers.entry import main
sys.argv += ["runs", "list"]
main()
"""


@pytest.mark.parametrize("module", ["workers.command", "agents.catalog", "orchestrator.adapters.sql"])
def test_while_it_is_loading(tmp_path: Path, module: str) -> None:
    """Most of the time of a short command goes by before its first line of ours is run."""
    ended = subprocess.run(
        [sys.executable, "-c", WHILE_LOADING, module],
        env={**os.environ, "REMIT_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (INTERRUPTED, "")
    assert ended.stderr == "remit: interrupted\n"


@pytest.mark.parametrize("command", [["reconcile", "{}", "{}"], ["run", "x", "--team", "reconcile", "--input", "a={}"]])
def test_while_it_reads_its_input(remit: Any, tmp_path: Path, command: list[str]) -> None:
    """Nothing was handed in, so there is nothing more to say."""
    pipe = tmp_path / "table.csv"
    os.mkfifo(pipe)
    process = remit.start(*(word.format(pipe) for word in command))
    writer = os.open(pipe, os.O_WRONLY)  # returns when the command has opened it, which then waits for what is written
    process.send_signal(signal.SIGINT)
    ended = remit.ended(process)
    os.close(writer)
    assert (ended.code, ended.out, ended.err) == (INTERRUPTED, "", "remit: interrupted\n")
    assert not (remit.home / "remit.db").exists()


def test_while_it_follows_a_run(remit: Any, on_servers: bool, tmp_path: Path) -> None:
    """It says what becomes of the run and how to end it; the services of this command end with it."""
    parameters = ["--param", f"log={tmp_path / 'log'}", "--param", f"gate={tmp_path / 'never'}"]
    process = remit.start("run", "Measure.", "--team", str(TOIL / "team.toml"), *parameters, PYTHONPATH=str(TOIL))
    for line in process.stderr:
        if "The list" in line:
            break
    process.send_signal(signal.SIGINT)
    ended = remit.ended(process)
    run = remit("runs", "list", "--json").json[0]
    assert (ended.code, ended.out, run["status"]) == (INTERRUPTED, "", "running")
    *_, first, second = ended.err.splitlines()
    goes_on = "while workers are at work" if on_servers else "while `remit up` runs"
    assert first == f"Interrupted. Nothing is lost: run {run['run']} goes on {goes_on};"
    assert second.endswith(f"`remit runs cancel {run['run']}` ends it.")
    assert "Traceback" not in ended.err
