"""Handing a goal in until it is there: whoever does may die before and after it is stored."""

from orchestrator.cli.desk import ChosenTeam
from orchestrator.domain.goal import Limits
from orchestrator.errors import DefectError, ServiceError
from workers.proof.asked import Asked
from workers.proof.errand import Errand, HandedIn
from workers.proof.stage import Stage

MOST_RUNS = 1000
MOST_TRIES = 20


def submitted(on: Stage, team: ChosenTeam, asked: Asked, limits: Limits, cap: int | None = None) -> str:
    """Hand it in until it is there: whoever did may have died before or after."""
    parameters = {"ledger": on.ledger.url, "orders": str(asked.orders)}
    handed_in = HandedIn(rules=team.rules, pinned=team.pinned, parameters=parameters, limits=limits, parallel=cap)
    errand = Errand(what="submit", scope=on.scope, actor=on.actor, handed_in=handed_in)
    known = _runs(on)
    for _ in range(MOST_TRIES):
        done = on.errands.done(errand)
        if new := _runs(on) - known:
            return new.pop()
        if done:
            raise DefectError("what was handed in is not there", where=str(on.settings.home))
    raise ServiceError("nothing can be handed in", where=str(on.settings.home / "logs" / "errands.log"))


def _runs(on: Stage) -> set[str]:
    return {run.id for run in on.opened.store.runs(on.scope, MOST_RUNS)}
