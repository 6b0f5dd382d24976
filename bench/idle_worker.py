"""Memory and CPU of an idle worker.

    make setup && .venv/bin/python bench/idle_worker.py

Starts the embedded services, waits ten seconds and reads what the worker process holds (aim: under 150 MiB).
"""

import os
import subprocess
import sys
import tempfile
import time

import psutil

SECONDS = 10.0
AIM_MIB = 150


def _is_worker(process: psutil.Process, home: str) -> bool:
    try:
        return "--ready-fd" in process.cmdline() and process.environ().get("REMIT_HOME") == home
    except psutil.Error:
        return False


def main() -> int:
    """Measure one worker; 1 when it holds more than the aim."""
    with tempfile.TemporaryDirectory() as home:
        up = subprocess.Popen(
            [sys.executable, "-m", "workers.entry", "up"],
            env={**os.environ, "REMIT_HOME": home},
            stderr=subprocess.PIPE,
        )
        assert up.stderr is not None
        up.stderr.readline()
        worker = next(one for one in psutil.process_iter() if _is_worker(one, home))
        before = sum(worker.cpu_times()[:2])
        time.sleep(SECONDS)
        used = sum(worker.cpu_times()[:2]) - before
        held = worker.memory_full_info().uss / 2**20
        up.terminate()
        up.wait()
    print(f"idle worker: {held:.0f} MiB of its own (aim: under {AIM_MIB}), {1000 * used / SECONDS:.1f} ms CPU a second")
    return int(held > AIM_MIB)


if __name__ == "__main__":
    sys.exit(main())
