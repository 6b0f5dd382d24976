"""Wiring: hands commands the services they ask for, with embedded services behind them where none are named."""

import getpass
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from rich.console import Console

from agents.catalog import Team, check, load_team, pin, unpin
from agents.models.playbook import NAME as PLAYBOOK
from agents.references import resolved
from agents.tools.mcp.servers import McpServers
from orchestrator.cli.desk import ChosenTeam, Desk, KeepAlive
from orchestrator.config import Settings, environment
from orchestrator.domain.identity import LOCAL_TENANT, Actor, Scope
from orchestrator.errors import ServiceError, TeamError
from workers.embedded.session import Session, services
from workers.embedded.spec import BROKER_URL, READY_FD, WORKER_ID, Services
from workers.home import make_private
from workers.models import endpoint, with_models

if TYPE_CHECKING:
    from workers.runtime import Runtime

CheckFunction = Callable[[Mapping[str, Path], Mapping[str, Any]], None]

WATCHED = (
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "PYTHONPATH",
    "REMIT_ARXIV_URL",
    "REMIT_RATES",
    "REMIT_RPM",
    "REMIT_TPM",
    "REMIT_WEB_ALLOW",
    "REMIT_WEB_ONLY",
)
"""Variables that a worker which runs already must have with the same values."""


def embedded_services(settings: Settings, worker_count: int = 1) -> Services:
    """The services of this home: Valkey, workers, and a SQLite file."""
    home = make_private(settings.home).absolute()
    python = (sys.executable, "-m", "workers.entry")
    env = environment() | {
        "REMIT_HOME": str(home),
        "REMIT_BROKER_URL": BROKER_URL,
        "REMIT_DATABASE_URL": f"sqlite:///{home / 'remit.db'}",
    }
    return Services(
        home=home,
        worker_argv=(*python, "worker", "--id", WORKER_ID, "--ready-fd", READY_FD),
        reap_argv=(sys.executable, "-m", "workers.reaping", WORKER_ID),
        env=env,
        worker_count=worker_count,
        runtime_dir=settings.runtime_dir,
        watched=WATCHED,
    )


class CommandWiring:
    """Opens what commands need, once each command."""

    def __init__(self, settings: Callable[[], Settings]) -> None:
        """`settings` is asked when a command needs something: `--help` works in any environment."""
        self._read = settings

    @property
    def _settings(self) -> Settings:
        return self._read()

    @contextmanager
    def reading(self) -> Generator[Desk]:
        """Services for reading; nothing is started, wake-ups are left to the sweeper."""
        from workers.runtime import runtime  # noqa: PLC0415  # the database layer is slow to import

        with runtime(self._settings, self._settings.broker_url, "remit") as opened:
            yield self._desk(opened, _nothing)

    @contextmanager
    def working(self) -> Generator[Desk]:
        """Services with a broker and a worker behind them.

        A worker that is still starting is not waited for: a run that is handed in meanwhile waits in the database.
        """
        if not self._settings.embedded:
            with self._shared() as desk:
                yield desk
            return
        with services(embedded_services(self._settings), wait_for_worker=False) as session:
            from workers.runtime import runtime  # noqa: PLC0415  # imported while the services start

            _warn(session.differs)
            with runtime(self._settings, session.broker_url, "remit") as opened:
                yield self._desk(opened, lambda: _watch(session))

    @contextmanager
    def _shared(self) -> Generator[Desk]:
        """The services of many machines; whoever hands something in should know when nobody will work on it."""
        from workers.runtime import runtime  # noqa: PLC0415  # as above

        with runtime(self._settings, self._settings.broker_url, "remit") as opened:
            if not opened.store.leases():
                _say("no worker is at work: what is handed in waits until one is started with `remit worker`")
            yield self._desk(opened, _nothing)

    def team(self, name: str) -> ChosenTeam:
        """The team, checked, with its models settled. Raises TeamError, ConfigError."""
        with McpServers(environment()) as servers:  # started once for both, if the team names any
            team = self._checked(name, servers)
            pinned = pin(team, servers)
        models = tuple(dict.fromkeys(agent.model or "" for agent in team.agents()))
        return ChosenTeam(team.rules(), pinned, models)

    def _checked(self, name: str, servers: McpServers) -> Team:
        team = load_team(name)
        faults = check(team, servers)
        if faults:
            raise TeamError(faults[0], where=team.source or name)
        return with_models(team, self._settings)

    def check_inputs(self, team: ChosenTeam, inputs: Mapping[str, Path], parameters: Mapping[str, Any]) -> None:
        """Have the team look at its inputs, and see whether its model is there. Raises InputError, ConfigError."""
        command = unpin(team.pinned).command
        if command and command.check and set(command.inputs) <= set(inputs):
            cast("CheckFunction", resolved(command.check))(inputs, parameters)
        if self._settings.embedded and set(team.models) - {PLAYBOOK}:
            # Of many machines, this one may be the only one that does not reach the model.
            from workers.reaching import reach  # noqa: PLC0415  # the model client is slow to import

            reach(endpoint(self._settings))

    def _desk(self, opened: "Runtime", keep_alive: KeepAlive) -> Desk:
        user = getpass.getuser()
        return Desk(
            scope=Scope(tenant=LOCAL_TENANT),
            actor=Actor(id=user, roles=("owner",), channel="cli", proof="user of this machine"),
            submitter=opened.submitter,
            answers=opened.answers,
            reader=opened.reader,
            results=opened.results,
            keep_alive=keep_alive,
            exports=self._settings.home / "exports",
            goes_on="while `remit up` runs" if self._settings.embedded else "while workers are at work",
        )


def _nothing() -> None:
    """Services of many machines are watched over there."""


def _watch(session: Session) -> None:
    """Start the services again if they have ended. Raises ServiceError when no worker can be kept alive."""
    state = session.status()
    if state.trouble is not None and not state.ready:
        raise ServiceError(state.trouble.what, where=state.trouble.log)


def _warn(differs: Sequence[str]) -> None:
    """Say that services which run already were started with other values of some variables."""
    if differs:
        _say(f"the services that run already were started with another value of {', '.join(differs)}")


def _say(line: str) -> None:
    Console(stderr=True, highlight=False).print(f"[yellow]remit:[/yellow] {line}", soft_wrap=True)
