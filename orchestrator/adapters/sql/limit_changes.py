"""Changes around a limit that a person is asked about: waiting for the decision, and what follows from it."""

from sqlalchemy import Text, bindparam, case, null, select, update

from orchestrator.adapters.sql.audit_changes import note
from orchestrator.adapters.sql.ledger_changes import fold_turn
from orchestrator.adapters.sql.schema import ledger, status_is, subtasks
from orchestrator.adapters.sql.ticket_changes import open_ticket
from orchestrator.adapters.sql.transaction import Transaction, chunks
from orchestrator.adapters.sql.turn_changes import give_back, wait
from orchestrator.domain.changes import Allow, AwaitMore, Note, OpenTicket, Wait, Yield
from orchestrator.domain.identity import ENGINE
from orchestrator.domain.subtask import NEVER

_LINE = (ledger.c.account == bindparam("the_account"), ledger.c.kind == bindparam("the_kind"))
_ASKED = select(ledger.c.asks, ledger.c.asked).where(*_LINE).with_for_update()
_ASK = update(ledger).where(*_LINE).values(asked=bindparam("ticket"))
_DECISION = bindparam("decision", type_=Text())
_DECIDE = (
    update(ledger)
    .where(*_LINE)
    .values(
        most=case((_DECISION == "more", ledger.c.most * 2), else_=ledger.c.most),
        on_limit=case((_DECISION == "stop", "stop"), else_=ledger.c.on_limit),
        asks=ledger.c.asks + 1,
        asked=null(),
    )
)
_LOCK_WAITING = (
    select(subtasks.c.id)
    .where(
        subtasks.c.run_id == bindparam("the_run"),
        status_is(subtasks.c.status, "waiting"),
        subtasks.c.wake_at == bindparam("never", type_=subtasks.c.wake_at.type),
    )
    .order_by(subtasks.c.id)
    .with_for_update(key_share=True)
)
_WAKE = (
    update(subtasks)
    .where(subtasks.c.id.in_(bindparam("ids", expanding=True)))
    .values(status="ready", wake_at=None, notify_at=bindparam("soon"), notify_count=0)
)


def await_more(tx: Transaction, change: AwaitMore) -> None:
    """Wait as a row: for the ticket when nobody has asked yet, else until whoever asked has an answer."""
    tx.needs_fence(change.subtask_id, change)
    fold_turn(tx, change.subtask_id, in_full=False)
    values = {"the_account": change.run_id, "the_kind": change.kind.value}
    row = tx.connection.execute(_ASKED, values).one_or_none()
    if row is None or row.asks != change.asks:
        give_back(tx, Yield(change.subtask_id))
    elif row.asked is not None:
        wait(tx, Wait(change.subtask_id, NEVER))
    else:
        tx.connection.execute(_ASK, {**values, "ticket": change.ticket.id})
        open_ticket(tx, OpenTicket(change.ticket))
        note(tx, Note(change.run_id, ENGINE, "asked", f"{change.ticket.id}: {change.ticket.question[:300]}"))
        wait(tx, Wait(change.subtask_id))


def allow(tx: Transaction, change: Allow) -> None:
    """Raise the limit, or have it stop whoever reaches it; wake those who waited for the decision."""
    values = {"the_account": change.run_id, "the_kind": change.kind.value, "decision": change.decision}
    tx.connection.execute(_DECIDE, values)
    waiting = tx.connection.scalars(_LOCK_WAITING, {"the_run": change.run_id, "never": NEVER}).all()
    for ids in chunks(waiting):
        tx.connection.execute(_WAKE, {"ids": ids, "soon": tx.soon})
    tx.ready.update(waiting)
