"""Which subtasks the threads of this worker are at, right now, and which of them it has lost."""

import threading
from collections.abc import Callable, Collection, Generator
from contextlib import contextmanager


class Hold:
    """One thread at work on one subtask."""

    def __init__(self) -> None:
        self._lost = threading.Event()
        self.claimed = False
        """True once the thread has the claim: before that it has nothing to lose."""

    def lose(self) -> None:
        """The claim is gone: another worker has it, or the run was cancelled."""
        self._lost.set()

    def lost(self) -> bool:
        """True once the claim is gone."""
        return self._lost.is_set()


class AtWork:
    """Holds by subtask: the same wake-up may be handled twice at once, one of them finds nothing to do."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._holds: dict[str, list[Hold]] = {}

    @contextmanager
    def on(self, subtask_id: str) -> Generator[Hold]:
        """Be at work on the subtask for the block."""
        hold = Hold()
        with self._lock:
            self._holds.setdefault(subtask_id, []).append(hold)
        try:
            yield hold
        finally:
            with self._lock:
                self._holds[subtask_id].remove(hold)
                if not self._holds[subtask_id]:
                    del self._holds[subtask_id]

    def __contains__(self, subtask_id: str) -> bool:
        with self._lock:
            return subtask_id in self._holds

    def losing(self, subtask_id: str) -> Callable[[], bool]:
        """Says whether the claim that this worker has on the subtask now is gone."""
        hold = self.claims().get(subtask_id)
        return hold.lost if hold else lambda: True

    def claims(self) -> dict[str, Hold]:
        """The holds that have a claim now."""
        with self._lock:
            return {key: hold for key, holds in self._holds.items() for hold in holds if hold.claimed}


def lose(claims: dict[str, Hold], held: Collection[str]) -> list[str]:
    """Tell those of the claims, read before `held` was, that the store does not know any more; their subtasks."""
    gone = [subtask_id for subtask_id in claims if subtask_id not in held]
    for subtask_id in gone:
        claims[subtask_id].lose()
    return gone
