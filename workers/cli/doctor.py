"""`remit doctor`: looks at everything a run needs, and says what to do about each problem."""

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Annotated

import typer

from agents.catalog import check, load_team, shipped_teams
from agents.models.openai_chat.probe import probe
from orchestrator.adapters.celery_broker.producer import CeleryBroker
from orchestrator.cli import exit_codes
from orchestrator.config import Settings
from orchestrator.errors import InputError, RemitError
from workers.cli.before_deploy import examined_before_deploy
from workers.cli.diagnosis import Diagnosis, told
from workers.embedded.session import services
from workers.home import make_private
from workers.models import endpoint
from workers.wiring import embedded_services


def doctor_command(settings: Callable[[], Settings]) -> Callable[..., None]:
    """The function behind `remit doctor`."""

    def doctor(
        team: Annotated[str | None, typer.Option("--team", "-t", help="Also check this team, by name or path.")] = None,
        before_deploy: Annotated[
            bool, typer.Option("--before-deploy", help="Only say which runs at hand this version would break, and why.")
        ] = False,
    ) -> None:
        """Check teams, model endpoint, broker, database and folders; say what to do about each problem."""
        if team and before_deploy:
            mend = "Leave one of them out: --before-deploy looks at the teams of the runs at hand."
            raise InputError("it does not go with --before-deploy", where="--team", mend=mend)
        if told(examined_before_deploy(settings) if before_deploy else examined(settings, team)):
            raise typer.Exit(exit_codes.FAILED)

    return doctor


def examined(settings: Callable[[], Settings], team: str | None) -> Iterator[Diagnosis]:
    """Look at one thing after another; later ones are left out where they hang on a bad one."""
    try:
        given = settings()
        home = make_private(given.home)
    except RemitError as error:
        yield Diagnosis("settings", good=False, line=str(error))
        return
    yield Diagnosis("home", good=True, line=f"{home} is yours alone")
    yield from _database(given)
    yield _services(given) if given.embedded else _broker(given)
    yield _model(given)
    yield from _teams(team)


def _database(settings: Settings) -> Iterator[Diagnosis]:
    from workers.runtime import runtime  # noqa: PLC0415  # the database layer is slow to import

    try:
        with runtime(settings, None, "remit-doctor") as opened:
            leases = len(opened.store.leases())
    except RemitError as error:
        yield Diagnosis("database", good=False, line=str(error))
        return
    yield Diagnosis("database", good=True, line="answers, its schema is up to date")
    if not settings.embedded:
        line = f"{leases} at work" if leases else "none is at work: runs will wait. Start some with `remit worker`."
        yield Diagnosis("workers", good=leases > 0, line=line)


def _services(settings: Settings) -> Diagnosis:
    try:
        with services(embedded_services(settings)) as session:
            pids = ", ".join(str(pid) for pid in session.status().worker_pids)
    except RemitError as error:
        return Diagnosis("services", good=False, line=str(error))
    return Diagnosis("services", good=True, line=f"embedded broker answers, worker {pids} takes work")


def _broker(settings: Settings) -> Diagnosis:
    try:
        with closing(CeleryBroker(settings.broker_url or "", settings.instance)) as broker:
            broker.ping()
    except RemitError as error:
        return Diagnosis("broker", good=False, line=str(error))
    return Diagnosis("broker", good=True, line="answers")


def _model(settings: Settings) -> Diagnosis:
    if settings.model is None and settings.openai_api_key is None and settings.openai_base_url is None:
        line = "none is configured: teams work by their playbooks; set REMIT_MODEL and OPENAI_API_KEY for a model"
        return Diagnosis("model", good=True, line=line)
    try:
        found = probe(endpoint(settings))
    except RemitError as error:
        return Diagnosis("model", good=False, line=str(error))
    return Diagnosis("model", good=found.ok, line=found.line)


def _teams(team: str | None) -> Iterator[Diagnosis]:
    names = [team] if team else [one.name for one in shipped_teams()]
    for name in names:
        try:
            faults = check(load_team(name))
        except RemitError as error:
            faults = [str(error)]
        for fault in faults:
            yield Diagnosis("team", good=False, line=fault)
        if not faults:
            yield Diagnosis("team", good=True, line=f"{name}: its agents, tools and playbooks load")
