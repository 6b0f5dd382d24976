"""How a command ends: 0 done, 1 failed, 2 wrong usage or input, 3 waits for a person, 4 a limit, 130 interrupted."""

from orchestrator.domain.run import RunState

DONE, FAILED, USAGE, WAITING, LIMIT = 0, 1, 2, 3, 4
INTERRUPTED = 130
"""As shells count a command that Ctrl-C ended."""

_BY_STATE: dict[RunState, int] = {
    "done": DONE,
    "waiting": WAITING,
    "limit": LIMIT,
    "failed": FAILED,
    "cancelled": FAILED,
    "running": FAILED,
}


def of(state: RunState) -> int:
    """The exit code of a command that followed a run to this state."""
    return _BY_STATE[state]
