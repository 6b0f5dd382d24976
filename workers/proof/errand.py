"""The process in which a command of the proof is carried out: it may be killed, stopped or fail at whatever it writes.

Started as `python -m workers.proof.errand`; each line of standard input is an errand, for which it forks a process and
prints its exit code: 0 when it was done, or was already.
"""

import logging
import os
import sys
from functools import partial
from typing import Any, Literal

from orchestrator.adapters.sql.store import SqlStore
from orchestrator.config import Settings, load_settings
from orchestrator.domain.goal import Limits
from orchestrator.domain.identity import Actor, Scope
from orchestrator.domain.record import Record
from orchestrator.domain.run import TeamRules
from orchestrator.engine.services.answering import Answers
from orchestrator.engine.services.applying import Applier
from orchestrator.engine.services.reading import Reader
from orchestrator.engine.services.submitting import Request, Submitter
from orchestrator.errors import DefectError, InputError, TicketError
from workers.chaos.faults import Faults
from workers.chaos.points import Fault
from workers.chaos.wrapping import disturbed_by
from workers.proof.brood import live
from workers.runtime import runtime

GOAL = "Carry out the orders."


class HandedIn(Record):
    """What a goal is handed in with."""

    rules: TeamRules
    pinned: str
    parameters: dict[str, Any]
    limits: Limits
    parallel: int | None


class Errand(Record):
    """What somebody wants: to hand a goal in, to answer a ticket, or to call a run off."""

    what: Literal["submit", "answer", "cancel"]
    scope: Scope
    actor: Actor
    about: str = ""
    """The ticket, or the run."""
    said: str = ""
    handed_in: HandedIn | None = None


class OfCommand(Faults):
    """The faults of a command's process: its points are two, whatever it writes."""

    def meet(self, name: str) -> Fault | None:
        """Come to a point before or after something is written."""
        when = name.rpartition(".")[2]
        return super().meet(f"command.{when}") if when in {"before", "after"} else None


def carried_out(settings: Settings, errand: Errand) -> int:
    """Do it, as the command of that name does; the exit code."""
    quiet = settings.model_copy(update={"chaos": None})
    with runtime(quiet, settings.broker_url, "remit") as opened:
        if not isinstance(opened.store, SqlStore) or settings.chaos is None:
            raise DefectError("an errand needs a plan of faults and a database", where="workers.proof.errand")
        faults = OfCommand(settings.chaos, settings.broker_url or "")
        ports = disturbed_by(faults, opened.store, opened.blobs, opened.broker, opened.telemetry)
        applier = Applier(ports.store, ports.broker, ports.telemetry)
        try:
            match errand.what:
                case "submit":
                    submitter = Submitter(applier, ports.blobs, opened.clock, ports.telemetry, settings.purse)
                    submitter.submit(_request(errand.handed_in), errand.scope, errand.actor)
                case "answer":
                    Answers(ports.store, applier).answer(errand.scope, errand.about, errand.said, "", errand.actor)
                case "cancel":
                    Reader(ports.store, applier).cancel(errand.scope, errand.about, errand.said, errand.actor)
        except (InputError, TicketError) as error:  # it was done, though whoever did it died before he could say so
            logging.getLogger(__name__).info("%s: %s", errand.what, error)
        finally:
            applier.roots.close()
    return 0


def _request(given: HandedIn | None) -> Request:
    if given is None:
        raise DefectError("nothing is handed in", where="workers.proof.errand")
    return Request(GOAL, {}, given.rules, given.pinned, given.parameters, given.limits, given.parallel)


def main() -> None:
    """Fork for each errand, one after another."""
    settings = load_settings()
    logging.basicConfig(level=settings.log_level, format="%(asctime)s %(process)d %(levelname)s %(name)s %(message)s")
    for line in sys.stdin:
        do = partial(carried_out, settings, Errand.model_validate_json(line))
        pid = os.fork()
        if pid == 0:
            live(do)
        _, status = os.waitpid(pid, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
