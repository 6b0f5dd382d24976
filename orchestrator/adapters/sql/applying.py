"""Applies a list of changes inside one transaction: locks, fence, each change, then what the end decides."""

from collections.abc import Sequence
from datetime import datetime
from typing import assert_never

from sqlalchemy import Connection, bindparam, select

from orchestrator.adapters.sql.audit_changes import note
from orchestrator.adapters.sql.cap_changes import admit, cap_run, close_run_pool, let_in
from orchestrator.adapters.sql.effect_changes import close_intents, save_intents
from orchestrator.adapters.sql.lease_time import LeaseTime
from orchestrator.adapters.sql.ledger_changes import open_accounts, reserve, settle_reservation
from orchestrator.adapters.sql.limit_changes import allow, await_more
from orchestrator.adapters.sql.plan_changes import add_subtasks
from orchestrator.adapters.sql.release_changes import (
    check_settled,
    release_edges,
    replace_unstarted,
    start_unblocked,
)
from orchestrator.adapters.sql.run_changes import (
    cancel_run,
    end_run,
    expect_plan,
    open_run,
    revise_plan,
    stop_the_rest,
    stop_work,
)
from orchestrator.adapters.sql.schema import subtasks
from orchestrator.adapters.sql.sweep_changes import defer, give_up, reclaim, wake
from orchestrator.adapters.sql.ticket_changes import close_ticket, open_ticket, wake_if_free
from orchestrator.adapters.sql.transaction import Transaction, chunks
from orchestrator.adapters.sql.turn_changes import break_off, check_fence, give_back, save_step, settle, spread, wait
from orchestrator.domain.changes import (
    AddSubtasks,
    Admit,
    Allow,
    AwaitMore,
    BreakOff,
    CancelRun,
    CapRun,
    Change,
    CloseIntents,
    CloseTicket,
    Defer,
    EndRun,
    ExpectPlan,
    Fence,
    GiveUp,
    Note,
    OpenAccounts,
    OpenRun,
    OpenTicket,
    Reclaim,
    Release,
    ReplaceUnstarted,
    Reserve,
    RevisePlan,
    SaveIntents,
    SaveStep,
    Settle,
    SettleReservation,
    Spread,
    StopWork,
    Wait,
    Wake,
    Yield,
)
from orchestrator.ports.store import Applied

_NOT_URGENT = select(subtasks.c.id).where(subtasks.c.id.in_(bindparam("ids", expanding=True)), subtasks.c.priority < 0)
_LOCKING = (RevisePlan, AddSubtasks, ReplaceUnstarted, EndRun, CancelRun, StopWork, AwaitMore, Allow, Note)


def apply_changes(
    connection: Connection, changes: Sequence[Change], fence: Fence | None, now: datetime, lease_time: LeaseTime
) -> Applied:
    """Apply all changes; whoever called commits, or rolls back when this raises."""
    tx = Transaction(connection, now, lease_time)
    tx.lock_runs(
        exclusive=(change.run_id for change in changes if isinstance(change, _LOCKING)),
        shared=(change.run_id for change in changes if isinstance(change, ExpectPlan)),
    )
    for change in changes:
        if isinstance(change, EndRun | CancelRun):
            close_run_pool(tx, change.run_id)
    if fence is not None:
        check_fence(tx, fence, tuple(changes))
    for change in changes:
        _apply(tx, change)
    _finish(tx)
    return Applied(ready=tuple(sorted(tx.ready)), batch=_batch(tx), refusal=tx.refusal)


def _finish(tx: Transaction) -> None:
    release_edges(tx)
    stop_the_rest(tx)
    if not tx.ended:
        check_settled(tx)
    for subtask_id in tx.waiting:
        wake_if_free(tx, subtask_id)
    start_unblocked(tx)
    let_in(tx)
    tx.write_runs()


def _batch(tx: Transaction) -> tuple[str, ...]:
    """Which of the subtasks that were made ready nobody waits for."""
    return tuple(
        one for ids in chunks(sorted(tx.ready)) for one in tx.connection.scalars(_NOT_URGENT, {"ids": ids}).all()
    )


def _apply(tx: Transaction, change: Change) -> None:  # noqa: PLR0912, PLR0915  # one arm a change
    match change:
        case SaveStep():
            save_step(tx, change)
        case Release():
            tx.releases.append(change)
        case Settle():
            settle(tx, change)
        case SaveIntents():
            save_intents(tx, change)
        case CloseIntents():
            close_intents(tx, change)
        case Wait():
            wait(tx, change)
        case Yield():
            give_back(tx, change)
        case BreakOff():
            break_off(tx, change)
        case Spread():
            spread(tx, change)
        case OpenTicket():
            open_ticket(tx, change)
        case CloseTicket():
            close_ticket(tx, change)
        case Wake() | Defer() | Reclaim() | GiveUp():
            _move(tx, change)
        case AddSubtasks():
            add_subtasks(tx, change)
        case ReplaceUnstarted():
            replace_unstarted(tx, change)
        case ExpectPlan():
            expect_plan(tx, change)
        case RevisePlan():
            revise_plan(tx, change)
        case OpenRun():
            open_run(tx, change)
        case EndRun():
            end_run(tx, change)
        case CancelRun():
            cancel_run(tx, change)
        case StopWork():
            stop_work(tx, change)
        case OpenAccounts():
            open_accounts(tx, change)
        case Reserve():
            reserve(tx, change)
        case SettleReservation():
            settle_reservation(tx, change)
        case AwaitMore():
            await_more(tx, change)
        case Allow():
            allow(tx, change)
        case CapRun():
            cap_run(tx, change)
        case Admit():
            admit(tx, change)
        case Note():
            note(tx, change)
        case _:
            assert_never(change)


def _move(tx: Transaction, change: Wake | Defer | Reclaim | GiveUp) -> None:
    match change:
        case Wake():
            wake(tx, change)
        case Defer():
            defer(tx, change)
        case Reclaim():
            reclaim(tx, change)
        case GiveUp():
            give_up(tx, change)
