"""The stage of a round: a home of its own, the outer ledger, and the embedded services with a plan of faults."""

import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from orchestrator.config import Settings
from orchestrator.domain.identity import Actor, Scope, new_id
from orchestrator.ports.clock import Deadline
from workers.chaos.ledger import Ledger, running_ledger
from workers.chaos.plan import Plan, write_plan
from workers.embedded.record import read_record
from workers.embedded.session import Session, services
from workers.embedded.spec import READY_FD, WORKER_ID, Services
from workers.proof.asked import GRACE_SECONDS, LEASE_SECONDS, Asked
from workers.proof.errands import Errands, running_errands
from workers.runtime import Runtime, runtime
from workers.wiring import embedded_services

THREADS = 8
RPM = 600
"""Calls of models a minute: fewer than agents would make at their busiest, so that they have to wait for their turn."""
ENDS_WITHIN = 5.0
"""Seconds that workers have to end."""
MONTH = "1000000000000 tokens"
"""What all runs of a round may use: so much that it never matters, but whatever they use is counted."""
_FOREIGN = ("OTEL_", "REMIT_")
"""Variables of the user that must not decide anything here."""


@dataclass(frozen=True, slots=True)
class Stage:
    """Everything a round is played with."""

    folder: Path
    """Of the plan, the hits and the ledger."""
    settings: Settings
    session: Session
    opened: Runtime
    ledger: Ledger
    errands: Errands
    scope: Scope
    actor: Actor


@contextmanager
def stage(asked: Asked, home: Path, plan: Plan) -> Generator[Stage]:
    """The services for a round. Raises ServiceError, StoreError, ConfigError."""
    home = home.absolute()
    folder = home / "chaos"
    write_plan(plan, folder)
    settings = Settings(home=home, broker_url=None, database_url=None)
    database = asked.database or f"sqlite:///{home / 'remit.db'}"
    wanted = _services(settings, asked.workers, database, folder)
    with (
        running_ledger(folder) as ledger,
        services(wanted, wait_for_worker=False) as session,
        running_errands(
            {**wanted.env, "REMIT_BROKER_URL": session.broker_url, "REMIT_BUDGET_MONTH": MONTH}, home / "logs"
        ) as errands,
    ):
        ours = Settings(
            home=home,
            broker_url=session.broker_url,
            database_url=database,
            blobs=None,
            model=None,
            budget_month=MONTH,
            otlp_endpoint=None,
            otlp_traces_endpoint=None,
        )
        with runtime(ours, session.broker_url, "remit") as opened:
            actor = Actor(id="chaos", roles=("owner",), channel="cli", proof="the command itself")
            scope = Scope(tenant=new_id("chaos"))  # a database may have seen other rounds
            try:
                yield Stage(folder, ours, session, opened, ledger, errands, scope, actor)
            except BaseException:
                _end(session, wanted)
                raise


def _end(session: Session, wanted: Services) -> None:
    """After Ctrl-C too nothing may be left that runs, or writes into a folder that is removed."""
    session.leave()  # does not wait when it was interrupted in the middle of a question
    until = Deadline.after(2 * ENDS_WITHIN)
    while read_record(wanted.run_folder) is not None and not until.passed():
        time.sleep(0.05)


def _services(settings: Settings, workers: int, database: str, folder: Path) -> Services:
    usual = embedded_services(settings)
    kept = {name: value for name, value in usual.env.items() if not name.startswith(_FOREIGN)}
    ours = {name: usual.env[name] for name in ("REMIT_HOME", "REMIT_BROKER_URL")}
    more = {
        "REMIT_DATABASE_URL": database,
        "REMIT_LEASE_SECONDS": str(LEASE_SECONDS),
        "REMIT_GRACE_SECONDS": str(GRACE_SECONDS),
        "REMIT_THREADS": str(THREADS),
        "REMIT_RPM": str(RPM),
        "REMIT_CHAOS": str(folder),
    }
    brood = (sys.executable, "-m", "workers.proof.brood", str(workers), WORKER_ID, READY_FD)
    return replace(usual, env={**kept, **ours, **more}, worker_argv=brood, grace=ENDS_WITHIN)
