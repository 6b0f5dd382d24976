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
CLAIM_SECONDS = 30.0
"""A claim, and giving it back, takes no longer unless the database hangs."""


class Suspects:
    """Lets the threads of this process work on one suspect at a time, so that a poison kills no other suspect.

    A claim alone would be enough to die: while a suspect is at work, no other is claimed, and none begins while some
    thread may still hold a claim that it is going to give back.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._claiming: set[int] = set()
        self._at_work: str | None = None
        self._back_at: dict[str, float] = {}

    @contextmanager
    def claiming(self) -> Generator[bool]:
        """Around a claim and all that follows until its work begins. True while a suspect is at work here."""
        with self._changed:
            self._claiming.add(threading.get_ident())
            busy = self._at_work is not None
        try:
            yield busy
        finally:
            self.begun()

    def begun(self) -> None:
        """This thread begins to work on what it claimed: should the process die, that is a death of it by right."""
        with self._changed:
            self._claiming.discard(threading.get_ident())
            self._changed.notify_all()

    @contextmanager
    def alone(self, subtask_id: str) -> Generator[float]:
        """Nought: for the block no other suspect is worked on here. Else one is: ask again after so many seconds."""
        seconds = self._enter(subtask_id)
        try:
            yield seconds
        finally:
            if not seconds:
                self._leave()

    def pause(self) -> float:
        """The seconds after which one more may ask again. Were all to come back at once, a thousand would only ask."""
        with self._changed:
            return self._pause()

    def stands_in_line(self, subtask_id: str, seconds: float) -> None:
        """It asks again after so many seconds."""
        with self._changed:
            self._back_at[subtask_id] = self._clock() + seconds

    def _pause(self) -> float:
        now = self._clock()
        self._back_at = {one: back for one, back in self._back_at.items() if back > now}
        return min(LONGEST_PAUSE, PAUSE * (1 + len(self._back_at)))

    def _enter(self, subtask_id: str) -> float:
        with self._changed:
            self._back_at.pop(subtask_id, None)
            if self._at_work is not None:
                seconds = self._pause()
                self._back_at[subtask_id] = self._clock() + seconds
                return seconds
            self._at_work = subtask_id
            self._claiming.discard(threading.get_ident())
            self._changed.wait_for(lambda: not self._claiming, CLAIM_SECONDS)
            return 0.0

    def _leave(self) -> None:
        with self._changed:
            self._at_work = None
