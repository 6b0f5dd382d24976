"""Ends the leases of workers that died without cleaning up, also of those that died with an earlier supervisor."""

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from workers.embedded.children import Child, Nursery, how_it_ended
from workers.embedded.spec import BROKER_URL, WORKER_ID, Services, fill, fill_env

_DONE_WITHIN = 20.0


@dataclass(slots=True)
class Mourning:
    """Each worker has a file in `run/workers` while it lives or is mourned; the command `reap_argv` ends its lease.

    It is a hint that saves time, not a promise: a lease that is not ended here ends by itself.
    """

    services: Services
    broker_url: str
    nursery: Nursery
    say: Callable[[str], None]
    running: dict[str, Child] = field(default_factory=dict[str, Child])

    def begin_with_the_left_behind(self, now: float) -> None:
        """Mourn the workers of a supervisor that was killed; none of them lives when its lock is ours."""
        folder = self.services.run_folder / "workers"
        folder.mkdir(exist_ok=True)
        for record in folder.iterdir():
            self.begin(record.name, now)

    def remember(self, worker_id: str) -> None:
        """The worker is about to start."""
        with suppress(OSError):
            (self.services.run_folder / "workers" / worker_id).touch()

    def forget(self, worker_id: str) -> None:
        """Nothing is left to be done for this worker."""
        with suppress(OSError):
            (self.services.run_folder / "workers" / worker_id).unlink(missing_ok=True)

    def begin(self, worker_id: str, now: float) -> None:
        """The worker is dead: end its lease."""
        values = {WORKER_ID: worker_id, BROKER_URL: self.broker_url}
        env = fill_env(self.services.env, values)
        log = self.services.log_folder / "reap.log"
        try:
            self.running[worker_id] = self.nursery.start(fill(self.services.reap_argv, values), env, log, now)
        except OSError as error:
            self.say(f"the lease of worker {worker_id} ends by itself: {error}")
            self.forget(worker_id)

    def over(self) -> bool:
        """True when no such command runs."""
        return not self.running

    def tick(self, now: float) -> float:
        """Bury the commands that have ended; returns when to look again."""
        for worker_id, child in list(self.running.items()):
            if (code := child.exit_code()) is not None:
                del self.running[worker_id]
                self.nursery.bury(child)
                self.forget(worker_id)
                if code != 0:
                    self.say(f"the lease of worker {worker_id} ends by itself: {how_it_ended(code)}; see {child.log}")
            elif now >= child.started + _DONE_WITHIN:
                child.kill()
        return min((child.started + _DONE_WITHIN for child in self.running.values()), default=math.inf)
