"""Keeps suspects apart: of two subtasks over which workers died, one may have died only beside the other."""

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

SUSPECT_DEATHS = 2
"""One death is nobody's fault: machines die, and with them all that was in hand, which then goes on side by side."""
PAUSE = 1.0
"""Seconds after which the first in line asks again; each one after it waits so much longer."""
LONGEST_PAUSE = 60.0


class Suspects:
    """Lets the threads of this process work on one suspect at a time, so that a poison kills no other suspect."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._at_work: str | None = None
        self._back_at: dict[str, float] = {}

    @contextmanager
    def alone(self, subtask_id: str) -> Generator[float]:
        """Nought: for the block no other suspect is worked on here. Else one is: ask again after so many seconds."""
        seconds = self._enter(subtask_id)
        try:
            yield seconds
        finally:
            if not seconds:
                self._leave()

    def _enter(self, subtask_id: str) -> float:
        with self._lock:
            now = self._clock()
            self._back_at = {one: back for one, back in self._back_at.items() if back > now and one != subtask_id}
            if self._at_work is None:
                self._at_work = subtask_id
                return 0.0
            # Were all to come back at once, a thousand of them would do nothing but ask.
            seconds = min(LONGEST_PAUSE, PAUSE * (1 + len(self._back_at)))
            self._back_at[subtask_id] = now + seconds
            return seconds

    def _leave(self) -> None:
        with self._lock:
            self._at_work = None
