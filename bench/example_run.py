"""The example from warm start to result, and to its first step; medians of five.

    make setup && .venv/bin/python bench/example_run.py

Prints: seconds until the first step is stored, seconds until the command has ended, and the ratio of both to the time
the same reconciliation takes as plain function calls in one process (so that the figures mean something elsewhere).
"""

import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from agents.tools.builtin.reconcile.columns import prepare
from agents.tools.builtin.reconcile.matching import match
from agents.tools.builtin.tables.reading import read_table

ROUNDS = 5
ROOT = Path(__file__).parents[1]
LEFT, RIGHT = ROOT / "examples/reconcile/ledger.csv", ROOT / "examples/reconcile/bank.csv"


def plain() -> float:
    """Seconds of the bare reconciliation."""
    started = time.perf_counter()
    prepared = prepare(read_table(LEFT), read_table(RIGHT))
    match(prepared.left, prepared.right, None, prepared.assumptions)
    return time.perf_counter() - started


def command() -> tuple[float, float]:
    """Seconds from the start of the command to its first stored step, and to its end."""
    with tempfile.TemporaryDirectory() as home:
        env = {**os.environ, "REMIT_HOME": home}
        started = time.time()
        subprocess.run(
            [sys.executable, "-m", "workers.entry", "reconcile", LEFT, RIGHT, "--quiet", "--no-ask"],
            env=env,
            check=False,
            stdin=subprocess.DEVNULL,
            capture_output=True,
        )
        ended = time.time()
        with sqlite3.connect(f"{home}/remit.db") as database:
            (first,) = database.execute("SELECT min(started_at) FROM subtasks").fetchone()
    return first / 1e6 - started, ended - started  # SQLite holds microseconds


def main() -> None:
    """Measure in turn and print medians."""
    plains, firsts, wholes = [], [], []
    for _ in range(ROUNDS):
        plains.append(plain())
        first, whole = command()
        firsts.append(first)
        wholes.append(whole)
    bare, first, whole = map(statistics.median, (plains, firsts, wholes))
    print(f"bare reconciliation        {bare:6.2f} s")
    print(f"command to first step      {first:6.2f} s   (aim: under 4 s)   ratio {first / bare:5.1f}")
    print(f"command to its end         {whole:6.2f} s                      ratio {whole / bare:5.1f}")


if __name__ == "__main__":
    main()
