"""Puts the agent together that undoes what a cancelled run did: code decides everything, and people where it cannot."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from agents.fences import encoded, fenced
from agents.isolation import Isolation
from agents.models.base import Message
from agents.models.playbook import Playbook
from agents.react import Agent
from agents.roles import Accepted
from agents.toolbox import Evidence, Toolbox
from agents.tools.function import Tool
from agents.undo_tools import undo_tools
from agents.undoing import Deed, undoing
from orchestrator.domain.effect import EffectIntent
from orchestrator.engine.services.claims import Claim
from orchestrator.ports.store import Store
from workers.errors import MustWaitError

NO_LIMIT = 10**9
"""Steps, seconds and tokens: undoing is never cut short."""
_SYSTEM = "You undo what a cancelled run did, the last thing first."


def undoer(
    claim: Claim, store: Store, evidence: Evidence, isolation: Isolation, *, tools: Mapping[str, Tool], now: datetime
) -> Agent:
    """The agent of the claimed subtask; `tools`: those of the run's team that can still be found, by name.

    Raises MustWaitError while a call of the run may still be on its way.
    """
    effects = [one for one in store.effects(claim.run.id) if one.subtask_id != claim.subtask.id]
    _wait_for_calls_on_their_way(effects, now)
    done = sorted((one for one in effects if one.status != "failed"), key=_begun, reverse=True)
    deeds = [_deed(one, tools.get(one.tool), store) for one in done]
    briefing = fenced("briefing", {}, encoded({"kind": "undo", "reason": claim.subtask.spec.instruction}))
    return Agent(
        model=Playbook(undoing(deeds), "undoing"),
        toolbox=Toolbox(undo_tools(deeds, tools), evidence, isolation),
        judge=_any_answer,
        opening=(Message("system", _SYSTEM), Message("user", briefing)),
        number=claim.subtask.number,
        most_steps=NO_LIMIT,
        seconds=NO_LIMIT,
        worked=0.0,
        context=NO_LIMIT,
    )


def _any_answer(text: str, *_: object) -> Accepted:
    return Accepted(text)


def _wait_for_calls_on_their_way(effects: list[EffectIntent], now: datetime) -> None:
    open_ones = [one.over_at - now for one in effects if one.status in {"intended", "unknown"}]
    left = max(open_ones, default=timedelta())
    if left > timedelta():
        raise MustWaitError("undoing", left.total_seconds())


def _begun(intent: EffectIntent) -> datetime:
    return intent.begun_at or intent.deadline


def _deed(intent: EffectIntent, tool: Tool | None, store: Store) -> Deed:
    sure = intent.status == "happened"
    return Deed(
        key=intent.key,
        tool=intent.tool,
        arguments=intent.arguments,
        sure=sure,
        undoable=tool is not None and tool.compensate is not None,
        settled_by_code=intent.effect == "idempotent",
        ref=_observation(intent, store) if sure and intent.ticket is None else None,
        lost="" if tool else f"the tool {intent.tool} is gone, or takes other arguments now.",
    )


def _observation(intent: EffectIntent, store: Store) -> str | None:
    """What the call returned; when a person said that it happened, there is only what they said."""
    step = next((one for one in store.steps(intent.subtask_id) if one.n == intent.step), None)
    results = step.results if step else ()
    return next((one.ref for one in results if one.call_id == intent.call_id and one.ok), None)
