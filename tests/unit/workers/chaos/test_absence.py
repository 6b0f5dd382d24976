"""Without `REMIT_CHAOS` there is nothing of chaos in a process, and nothing of it in any other file."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[4]
HOOKS = {
    "orchestrator/config.py",  # the setting
    "workers/command.py",  # the command
    "workers/runtime.py",  # puts decorators around the ports
    "workers/worker.py",  # the same around agents and arriving wake-ups
}
PROGRAM = """
import sys
from orchestrator.adapters.sql.store import SqlStore
from orchestrator.config import load_settings
import workers.command, workers.worker
from workers.runtime import runtime
with runtime(load_settings(), None, "test") as opened:
    assert type(opened.store) is SqlStore
print(sorted(name for name in sys.modules if name.startswith(("workers.chaos", "workers.proof"))))
"""


def test_nothing_is_imported(tmp_path: Path) -> None:
    """A worker's modules import none of chaos, and its store is the plain one."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("REMIT_")}
    env["REMIT_HOME"] = str(tmp_path)
    ended = subprocess.run([sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, check=False)
    assert (ended.stdout.strip(), ended.returncode) == ("[]", 0), ended.stderr


def test_no_other_file_knows_of_it() -> None:
    """Four files name chaos: the setting, the command, and the two where things are put together."""
    own = ("workers/chaos/", "workers/proof/", "workers/cli/chaos")
    files = [path for folder in ("orchestrator", "agents", "workers") for path in (ROOT / folder).rglob("*.py")]
    named = {str(path.relative_to(ROOT)) for path in files if "chaos" in path.read_text("utf-8").casefold()}
    assert {name for name in named if not name.startswith(own)} == HOOKS
