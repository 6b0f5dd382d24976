"""Changes of the ledger of effects: intents before a call starts, outcomes after it."""

from sqlalchemy import bindparam, update
from sqlalchemy.dialects.postgresql import insert

from orchestrator.adapters.sql.documents import written
from orchestrator.adapters.sql.schema import effects, status_is
from orchestrator.adapters.sql.transaction import Transaction
from orchestrator.domain.changes import CloseIntents, SaveIntents
from orchestrator.errors import ConflictError

_KEY = (effects.c.subtask_id, effects.c.step, effects.c.call_id)
_INSERT = insert(effects)
_SAVE_INTENT = _INSERT.on_conflict_do_update(
    index_elements=_KEY,
    set_={"status": _INSERT.excluded.status, "document": _INSERT.excluded.document},
    where=effects.c.status != "happened",
).returning(effects.c.step)
_CLOSE_INTENT = (
    update(effects)
    .where(
        effects.c.subtask_id == bindparam("the_id"),
        effects.c.step == bindparam("the_step"),
        effects.c.call_id == bindparam("the_call"),
        status_is(effects.c.status, "intended", "unknown") | (effects.c.status == bindparam("to_status")),
    )
    .values(status=bindparam("to_status"))
)


def save_intents(tx: Transaction, change: SaveIntents) -> None:
    """Write intents down; a repeated attempt replaces an intent that did not happen, by the same key."""
    for intent in change.intents:
        values = {
            "subtask_id": intent.subtask_id,
            "step": intent.step,
            "call_id": intent.call_id,
            "status": intent.status,
            "document": written(intent),
        }
        if tx.connection.scalar(_SAVE_INTENT, values) is None:
            raise ConflictError(f"the effect of {intent.tool} has happened already", where=intent.key)


def close_intents(tx: Transaction, change: CloseIntents) -> None:
    """Write outcomes down; a known outcome never becomes another one."""
    for outcome in change.outcomes:
        values = {
            "the_id": outcome.subtask_id,
            "the_step": outcome.step,
            "the_call": outcome.call_id,
            "to_status": outcome.status,
        }
        if tx.connection.execute(_CLOSE_INTENT, values).rowcount == 0:
            raise ConflictError(
                f"no open intent of call {outcome.call_id} in step {outcome.step} can become {outcome.status}",
                where=outcome.subtask_id,
            )
