"""Which subtasks the threads of this worker are at, right now."""

import threading
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager


class AtWork:
    """Counts threads by subtask: the same wake-up may be handled twice at once, one of them finds nothing to do."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._threads: Counter[str] = Counter()

    @contextmanager
    def on(self, subtask_id: str) -> Generator[None]:
        """Be at work on the subtask for the block."""
        with self._lock:
            self._threads[subtask_id] += 1
        try:
            yield
        finally:
            with self._lock:
                self._threads[subtask_id] -= 1
                if not self._threads[subtask_id]:
                    del self._threads[subtask_id]

    def __contains__(self, subtask_id: str) -> bool:
        with self._lock:
            return subtask_id in self._threads
