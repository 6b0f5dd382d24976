"""The workers of a supervisor: started, listened to, told to stop, started again, and their leases ended."""

import os
import selectors
import signal
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from workers.embedded.children import Child, Nursery, how_it_ended
from workers.embedded.logs import last_line
from workers.embedded.mourning import Mourning
from workers.embedded.policy import Restarts
from workers.embedded.protocol import Trouble, WorkerState
from workers.embedded.ready import READY
from workers.embedded.spec import BROKER_URL, READY_FD, WORKER_ID, Services, fill, fill_env


@dataclass(slots=True)
class Place:
    """One of the workers wanted, and the process that fills it at the moment."""

    number: int
    worker_id: str = ""
    child: Child | None = None
    ready: bool = False
    starts: int = 0
    restarts: Restarts = field(default_factory=Restarts)
    trouble: Trouble | None = None


@dataclass(frozen=True, slots=True)
class Leaver:
    """A worker that was told to stop."""

    worker_id: str
    child: Child
    was_ready: bool
    kill_at: float


@dataclass(slots=True)
class Crew:
    """All workers; `tick` brings them closer to what is wanted, `say` receives one line per event."""

    services: Services
    broker_url: str
    nursery: Nursery
    selector: selectors.BaseSelector
    mourning: Mourning
    say: Callable[[str], None]
    places: list[Place] = field(default_factory=list[Place])
    leavers: list[Leaver] = field(default_factory=list[Leaver])

    def __post_init__(self) -> None:
        """One place per worker wanted."""
        self.places = [Place(number) for number in range(1, self.services.worker_count + 1)]

    def states(self) -> tuple[WorkerState, ...]:
        """What commands are told."""
        return tuple(
            WorkerState(place.worker_id, place.child.pid if place.child else None, place.ready, place.starts)
            for place in self.places
        )

    @property
    def trouble(self) -> Trouble | None:
        """Why no worker comes up; None while one is ready."""
        if any(place.ready for place in self.places):
            return None
        return next((place.trouble for place in self.places if place.trouble), None)

    def log(self, number: int) -> Path:
        """What the worker in this place writes."""
        return self.services.log_folder / f"worker-{number}.log"

    def empty(self) -> bool:
        """True when no worker runs and every dead one's lease has been seen to."""
        return not self.leavers and self.mourning.over() and all(place.child is None for place in self.places)

    def tick(self, now: float, *, wanted: bool) -> float:
        """Do what is due; returns when to look again, unless something happens before."""
        self._bury(now)
        for place in self.places:
            if not wanted:
                self._dismiss(place, now)
            elif place.child is None and now >= place.restarts.due:
                self._start(place, now)
        starts = [place.restarts.due for place in self.places if wanted and place.child is None]
        return min([self.mourning.tick(now), *(leaver.kill_at for leaver in self.leavers), *starts])

    def kill(self) -> None:
        """End all workers at once."""
        for child in [place.child for place in self.places] + [leaver.child for leaver in self.leavers]:
            if child is not None:
                child.kill()

    def _start(self, place: Place, now: float) -> None:
        place.worker_id = str(uuid.uuid4())
        place.starts += 1
        read_end, write_end = os.pipe()
        values = {WORKER_ID: place.worker_id, BROKER_URL: self.broker_url, READY_FD: str(write_end)}
        argv = fill(self.services.worker_argv, values)
        env = fill_env(self.services.env, values)
        self.mourning.remember(place.worker_id)
        try:
            place.child = self.nursery.start(argv, env, self.log(place.number), now, (write_end,))
        except OSError as error:
            os.close(read_end)
            self.mourning.forget(place.worker_id)
            self._failed(place, f"cannot be started: {error}", 0.0, now)
            return
        finally:
            os.close(write_end)
        self.selector.register(read_end, selectors.EVENT_READ, partial(self._heard, read_end, place, place.worker_id))
        self.say(f"worker {place.number} started (pid {place.child.pid}, id {place.worker_id})")

    def _heard(self, read_end: int, place: Place, worker_id: str) -> None:
        # The pipe is read once: the word, or its end because the worker died or needs it no more.
        word = os.read(read_end, 64)
        self.selector.unregister(read_end)
        os.close(read_end)
        if word == READY and place.worker_id == worker_id and place.child is not None:
            place.ready = True
            place.restarts = place.restarts.after_ready()
            place.trouble = None
            self.say(f"worker {place.number} is ready (pid {place.child.pid})")

    def _bury(self, now: float) -> None:
        for leaver in list(self.leavers):
            if (code := leaver.child.exit_code()) is not None:
                self.leavers.remove(leaver)
                # One that was told to stop while it was still starting has claimed nothing.
                in_order = code == 0 or (code == -signal.SIGTERM and not leaver.was_ready)
                self._part(leaver.worker_id, leaver.child, now, in_order=in_order)
            elif now >= leaver.kill_at:
                self.say(f"worker (pid {leaver.child.pid}) did not stop within {self.services.grace:.0f} s: killed")
                leaver.child.kill()
        for place in self.places:
            if (child := place.child) is not None and (code := child.exit_code()) is not None:
                place.child = None
                line = last_line(self.log(place.number), child.log_start)
                detail = f": {line}" if line and not place.ready else ""
                self._failed(place, how_it_ended(code) + detail, now - child.started, now)
                self._part(place.worker_id, child, now, in_order=code == 0)

    def _part(self, worker_id: str, child: Child, now: float, *, in_order: bool) -> None:
        self.nursery.bury(child)
        if in_order:
            # It has given back its work itself.
            self.mourning.forget(worker_id)
        else:
            self.mourning.begin(worker_id, now)

    def _failed(self, place: Place, how: str, lived: float, now: float) -> None:
        place.restarts = place.restarts.after_death(lived=lived, was_ready=place.ready, now=now)
        place.ready = False
        self.say(f"worker {place.number} ended ({how}); next start in {place.restarts.due - now:.1f} s")
        if place.restarts.in_trouble:
            what = f"the worker ended {place.restarts.unready_deaths} times before it was ready; {how}"
            place.trouble = Trouble(what, str(self.log(place.number)))

    def _dismiss(self, place: Place, now: float) -> None:
        place.restarts = Restarts()
        place.trouble = None
        if place.child is not None:
            with suppress(ProcessLookupError):
                place.child.tell_to_stop()
            self.leavers.append(Leaver(place.worker_id, place.child, place.ready, now + self.services.grace))
            place.child = None
            place.ready = False
