"""Decides whether a failed call of a model is tried again, and after how long."""

from dataclasses import dataclass

from agents.models.openai_chat.failures import Failure


@dataclass(frozen=True, slots=True)
class Retry:
    """Three tries; waits of half a second, doubled each time, or what the server asks for."""

    tries: int = 3
    first: float = 0.5
    most: float = 8.0
    patience: float = 60.0
    """The longest wait that holds a thread; a longer one is the caller's, who can let the subtask wait as a row."""

    def pause(self, failure: Failure, attempt: int, left: float, roll: float) -> float | None:
        """Seconds to wait before the next try, or None for no further try. `roll` is a random number from 0 to 1."""
        if not failure.retry or attempt >= self.tries:
            return None
        wait = min(self.first * 2 ** (attempt - 1), self.most)
        if failure.retry_after is None:
            wait *= 0.5 + 0.5 * roll
        else:  # never sooner than asked, and not all callers at the same moment
            wait = failure.retry_after + wait * roll
        return None if wait > self.patience or wait >= left else wait
