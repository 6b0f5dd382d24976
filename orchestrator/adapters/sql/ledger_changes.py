"""Changes of the ledger: accounts, what calls set aside, what they used.

Each account draws from its parent: a subtask at work from its run, the run from its team's month, that from its
tenant's. `held` is what it has drawn, `reserved` what it has given to those below it (at a subtask: set aside for the
call in flight), `spent` what was used for good. A subtask's lines live for one turn; at its end they are folded into
those of the run. Every transaction locks lines from below upwards, kinds in their order.
"""

from dataclasses import dataclass, replace

from sqlalchemy import BigInteger, Update, bindparam, case, delete, literal_column, null, select, update
from sqlalchemy.dialects.postgresql import insert

from orchestrator.adapters.sql.ledger_rows import (
    Line,
    least,
    lock_account,
    lock_below,
    lock_line,
    settled,
    write,
)
from orchestrator.adapters.sql.money import picodollars
from orchestrator.adapters.sql.rows import AnyRow
from orchestrator.adapters.sql.schema import ledger
from orchestrator.adapters.sql.transaction import Transaction
from orchestrator.domain.budget import Amounts, Kind, Refusal, Tariff, slab
from orchestrator.domain.changes import OpenAccounts, Reserve, SettleReservation
from orchestrator.domain.step import Step
from orchestrator.errors import DefectError

_KEY = (ledger.c.account, ledger.c.kind)
_OF_ACCOUNT = ledger.c.account == bindparam("the_account")
_OF_KIND = ledger.c.kind == bindparam("the_kind")
_ZERO = literal_column("0")

_OPEN = insert(ledger)
_OPEN_ACCOUNT = _OPEN.on_conflict_do_update(
    index_elements=_KEY,
    set_={
        "parent": _OPEN.excluded.parent,
        "most": _OPEN.excluded.most,
        # An account that gets or loses a parent within the month: what it used until then stays where it was counted.
        "held": case(
            (_OPEN.excluded.held.is_(None), null()),
            (ledger.c.held.is_(None), ledger.c.spent + ledger.c.reserved),
            else_=ledger.c.held,
        ),
    },
)
_LIFT = (
    update(ledger)
    .where(_OF_ACCOUNT, ledger.c.kind.in_(bindparam("kinds", expanding=True)), ledger.c.most.is_not(None))
    .values(most=None)
)
_OPEN_TURN = (
    insert(ledger)
    .from_select(
        ("account", "kind", "parent", "held", "spent", "reserved", "asks"),
        select(
            bindparam("the_subtask", type_=ledger.c.account.type),
            ledger.c.kind,
            ledger.c.account,
            *(_ZERO for _ in range(4)),
        ).where(_OF_ACCOUNT),
    )
    .on_conflict_do_nothing(index_elements=_KEY)
)
_USED = case(*((ledger.c.kind == kind.value, bindparam(kind.value, type_=BigInteger())) for kind in Kind), else_=0)
_CHARGE = update(ledger).where(_OF_ACCOUNT).values(spent=ledger.c.spent + _USED, reserved=0)
_CHARGE_MORE = update(ledger).where(_OF_ACCOUNT).values(spent=ledger.c.spent + _USED)
_BEYOND = select(ledger.c.kind).where(_OF_ACCOUNT, ledger.c.spent + ledger.c.reserved > ledger.c.held)
_CHARGE_IN_FULL = update(ledger).where(_OF_ACCOUNT).values(spent=ledger.c.spent + ledger.c.reserved, reserved=0)
_CLOSED = (ledger.c.kind, ledger.c.parent, ledger.c.held, ledger.c.spent, ledger.c.reserved)
_CLOSE = delete(ledger).where(_OF_ACCOUNT).returning(*_CLOSED)
_CLOSE_BELOW = delete(ledger).where(ledger.c.parent == bindparam("the_account")).returning(*_CLOSED)
_TAKE_BACK = (
    update(ledger)
    .where(_OF_ACCOUNT, _OF_KIND)
    .values(spent=ledger.c.spent + bindparam("used"), reserved=ledger.c.reserved - bindparam("lent"))
)


@dataclass(frozen=True, slots=True)
class _Wish:
    """What a call wants of one kind."""

    kind: Kind
    need: int


def open_accounts(tx: Transaction, change: OpenAccounts) -> None:
    """Insert the run's accounts; those above it exist for others too, and take over the limits that hold now."""
    for account in change.accounts:
        values = {
            "account": account.id,
            "kind": account.kind.value,
            "parent": account.parent,
            "most": account.most,
            "held": None if account.parent is None else 0,
            "spent": 0,
            "reserved": 0,
            "on_limit": change.on_limit,
            "asks": 0,
        }
        tx.connection.execute(_OPEN_ACCOUNT, values)
    for account, kinds in change.unlimited.items():
        if kinds:
            tx.connection.execute(_LIFT, {"the_account": account, "kinds": sorted(kind.value for kind in kinds)})


def reserve(tx: Transaction, change: Reserve) -> None:
    """Set aside what a call needs, of each kind that is limited, or nothing and say why."""
    tx.needs_fence(change.subtask_id, change)
    lines = lock_account(tx, change.subtask_id)
    if not lines:
        _open_turn(tx, change.subtask_id, change.run_id)
        lines = lock_account(tx, change.subtask_id)
    changed: list[Line] = []
    for line in lines:
        need = change.need.of(line.kind) + change.keep.of(line.kind)
        line.reserved = 0
        missing = line.missing(need)
        if missing and tx.refusal is None:
            drawn = _drawn(tx, _Wish(line.kind, need), line.parent or "", missing, line.account)
            if isinstance(drawn, Refusal):
                tx.refusal = drawn
            else:
                line.held = (line.held or 0) + drawn
        changed.append(line)
    if tx.refusal is None:
        for line in changed:
            line.reserved = min(change.need.of(line.kind), (line.held or 0) - line.spent)
    write(tx, changed)


def settle_reservation(tx: Transaction, change: SettleReservation) -> None:
    """Charge all that is set aside."""
    tx.needs_fence(change.subtask_id, change)
    tx.connection.execute(_CHARGE_IN_FULL, {"the_account": change.subtask_id})


def charge_step(tx: Transaction, subtask_id: str, step: Step, tariff: Tariff) -> None:
    """Charge a reply that has just been stored, in place of what was set aside for it."""
    if step.kind == "reply":
        usage = step.usage
        price = tariff.of(usage.input_tokens, usage.output_tokens) if usage.cost is None else picodollars(usage.cost)
        time = round(step.seconds * 1000)
        _charge(tx, subtask_id, _CHARGE, Amounts(money=price or 0, steps=1, time=time, tokens=usage.tokens))


def charge_time(tx: Transaction, subtask_id: str, seconds: float) -> None:
    """Charge the time that the calls of a step took since it was stored before they began."""
    if seconds > 0:
        _charge(tx, subtask_id, _CHARGE_MORE, Amounts(time=round(seconds * 1000)))


def fold_turn(tx: Transaction, subtask_id: str, *, in_full: bool) -> None:
    """Give back what a turn has drawn and not used; `in_full`: nobody knows what became of its last call."""
    for row in tx.connection.execute(_CLOSE, {"the_account": subtask_id}).all():
        _take_back(tx, row, row.spent + (row.reserved if in_full else 0))


def close_accounts(tx: Transaction, run_id: str) -> None:
    """The run has ended: charge its calls in flight in full, and count all that it used with its team and tenant."""
    for closing in (_CLOSE_BELOW, _CLOSE):
        for row in tx.connection.execute(closing, {"the_account": run_id}).all():
            _take_back(tx, row, row.spent + row.reserved)


def _take_back(tx: Transaction, row: AnyRow, used: int) -> None:
    if row.parent is not None:
        values = {"the_account": row.parent, "the_kind": row.kind, "used": used, "lent": row.held}
        tx.connection.execute(_TAKE_BACK, values)


def _charge(tx: Transaction, subtask_id: str, statement: Update, used: Amounts) -> None:
    values = {"the_account": subtask_id, **{kind.value: used.of(kind) for kind in Kind}}
    if tx.connection.execute(statement, values).rowcount == 0:  # this turn has set nothing aside yet
        _open_turn(tx, subtask_id, tx.fenced_run)
        tx.connection.execute(statement, values)
    for kind in tx.connection.scalars(_BEYOND, {"the_account": subtask_id}).all():
        _cover(tx, subtask_id, Kind(kind))


def _cover(tx: Transaction, account: str, kind: Kind) -> None:
    """More was used than had been drawn: the accounts above hear of it at once, whatever their limits say."""
    line = lock_line(tx, account, kind)
    if line is None or line.parent is None or (line.held or 0) >= line.spent + line.reserved:
        return
    above = lock_line(tx, line.parent, kind)
    if above is not None:
        above.reserved += line.spent + line.reserved - (line.held or 0)
        line.held = line.spent + line.reserved
        write(tx, [line, above])
        _cover(tx, above.account, kind)


def _open_turn(tx: Transaction, subtask_id: str, run_id: str) -> None:
    tx.connection.execute(_OPEN_TURN, {"the_subtask": subtask_id, "the_account": run_id})


def _drawn(tx: Transaction, wish: _Wish, account: str, need: int, below: str) -> int | Refusal:
    """Draw so much from an account, or more where there is plenty; it draws from its own parent what it lacks."""
    line = lock_line(tx, account, wish.kind)
    if line is None:
        raise DefectError(f"the ledger has no {wish.kind} of this account", where=account)
    if not line.within_own(need):
        _call_back(tx, line, below)
        if not line.within_own(need):
            return _refused(line, _refusal(tx, line, wish))
    refusal = _drawn_above(tx, wish, line, need)
    if refusal is not None:
        _call_back(tx, line, below)
        refusal = _drawn_above(tx, wish, line, need)
    if refusal is not None:
        return _refused(line, refusal)
    given = slab(min(need, line.free(need)), line.free(need))
    line.reserved += given
    write(tx, [line])
    return given


def _drawn_above(tx: Transaction, wish: _Wish, line: Line, need: int) -> Refusal | None:
    """Draw from the account above what is missing in this line."""
    missing = line.missing(need)
    if not missing or line.parent is None:
        return None
    drawn = _drawn(tx, wish, line.parent, missing, line.account)
    if isinstance(drawn, Refusal):
        return drawn
    line.held = (line.held or 0) + drawn
    return None


def _call_back(tx: Transaction, line: Line, but_not: str) -> None:
    """Take back what others below, on every level, have drawn ahead and do not need now."""
    below = lock_below(tx, line, but_not)
    for one in below:
        _call_back(tx, one, "")
        idle = (one.held or 0) - one.spent - one.reserved
        if idle > 0:
            one.held = one.spent + one.reserved
            line.reserved -= idle
    write(tx, [*below, line] if below else [])


def _refusal(tx: Transaction, line: Line, wish: _Wish) -> Refusal:
    most, spent = line.most or 0, settled(tx, line)
    # What is neither used for good nor free is set aside for calls in flight: some of it may come back.
    busy = spent + least(wish.kind, wish.need) <= most
    return Refusal(line.account, line.kind, most, spent, wish.need, busy=busy)


def _refused(line: Line, refusal: Refusal) -> Refusal:
    if line.on_limit is None:
        return refusal
    return replace(refusal, on_limit=line.on_limit, asks=line.asks)
