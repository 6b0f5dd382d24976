"""The tools of the orders team: `orders.status` looks an order up, `orders.refund` refunds a share of what was paid."""

from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from agents.errors import ToolError
from agents.teams.orders.ledger import Booked, Booking, Ledger, now
from agents.teams.orders.shop import Order, Shop, read_shop
from agents.tools.builtin.cache import cache_of
from agents.tools.function import Happened, NotHappened, Outcome, ToolContext, ToolResult, Unknown, tool

INPUT = "shop"
_CENT = Decimal("0.01")

OrderNumber = Annotated[
    str, Field(min_length=1, max_length=60, description="As the shop writes it.", examples=["A-1001"])
]
Ratio = Annotated[
    Decimal,
    Field(gt=0, le=1, decimal_places=6, description="The share of what was paid: 0.3 for 30 %.", examples=["0.3"]),
]
Reason = Annotated[str, Field(min_length=3, max_length=400, description="Why, in the words of whoever asked for it.")]


@tool(
    "orders.status",
    effect="read",
    use_when="the state, the items or the payment of an order is asked for, and before every refund",
    not_when="no order number is known",
    seconds=15.0,
)
def status(order: OrderNumber, context: ToolContext) -> ToolResult:
    """Look an order up: its state, its items, what was paid for it and what has been refunded."""
    shop = read_shop(context.input(INPUT))
    found = shop.order(order)
    refunded = _ledger(shop, context).refunded(found.number)
    paid = f"{found.paid} {shop.currency} of {found.total} paid" if found.paid else f"not paid ({found.total})"
    summary = f"Order {found.number}: {found.state}, {paid}, {refunded} refunded."
    return ToolResult(summary=summary, data=_told(shop, found, refunded))


def _told(shop: Shop, order: Order, refunded: Decimal) -> dict[str, Any]:
    return {
        "order": order.number,
        "customer": order.customer,
        "placed": order.placed,
        "state": order.state,
        "items": [item.model_dump() for item in order.items],
        "total": order.total,
        "paid": order.paid,
        "refunded": refunded,
        "refundable": order.paid - refunded,
        "currency": shop.currency,
    }


def would_refund(arguments: Any, context: ToolContext) -> ToolResult:
    """What a refund would come to; nothing is booked."""
    shop, order = _refundable(context, arguments.order)
    amount = _amount(order, arguments.ratio)
    refunded = _ledger(shop, context).refunded(order.number)
    data = {"order": order.number, "amount": amount, "currency": shop.currency, "refunded_before": refunded}
    return ToolResult(f"{amount} {shop.currency} of order {order.number} would be refunded.", data)


def was_refunded(arguments: Any, context: ToolContext) -> Outcome:
    """Whether the call of this key was booked: the ledger knows."""
    del arguments
    try:
        shop = read_shop(context.input(INPUT))
        ledger = _ledger(shop, context)
        found = ledger.find(context.idempotency_key)
    except ToolError as error:
        return Unknown(error.what)
    if found is None:
        return NotHappened()
    return Happened(_said(shop, Booked(found, again=True, refunded=ledger.refunded(found.order))))


def take_back(arguments: Any, data: Any, context: ToolContext) -> ToolResult:
    """Book the refund of this key back, once."""
    del arguments
    key = str(data["key"]) if data else context.idempotency_key
    shop = read_shop(context.input(INPUT))
    ledger = _ledger(shop, context)
    booked = ledger.find(key)
    if booked is None:
        return ToolResult("Nothing was booked under this key, so nothing is taken back.", {"key": key, "amount": "0"})
    back = Booking(f"{key}/back", booked.order, -booked.amount, -booked.ratio, f"taken back: {booked.reason}", now())
    return _said(shop, ledger.book(back, most=booked.amount))


@tool(
    "orders.refund",
    effect="keyed",
    use_when="a refund of a share of a paid order is asked for, the order was looked up, and the share is known",
    not_when="the order is unknown or not paid, nobody named the share, or the refund was made already",
    seconds=20.0,
    verify=was_refunded,
    preview=would_refund,
    compensate=take_back,
)
def refund(order: OrderNumber, ratio: Ratio, reason: Reason, context: ToolContext) -> ToolResult:
    """Refund a share of what was paid for an order. It is booked once, also when the call is repeated."""
    shop, found = _refundable(context, order)
    amount = _amount(found, ratio)
    booking = Booking(context.idempotency_key, found.number, amount, ratio, reason, now())
    return _said(shop, _ledger(shop, context).book(booking, most=found.paid))


def _refundable(context: ToolContext, number: str) -> tuple[Shop, Order]:
    shop = read_shop(context.input(INPUT))
    order = shop.order(number)
    if not order.paid:
        what = f"nothing was paid for order {order.number}, so nothing can be refunded"
        raise ToolError("not_paid", what, hint="Say so; do not try another order.")
    return shop, order


def _amount(order: Order, ratio: Decimal) -> Decimal:
    amount = (order.paid * ratio).quantize(_CENT, ROUND_HALF_UP)
    if not amount:
        what = f"{ratio} of {order.paid} is less than a cent"
        raise ToolError("too_little", what, hint="Check the ratio: 0.3 means 30 %.")
    return amount


def _said(shop: Shop, booked: Booked) -> ToolResult:
    booking = booked.booking
    how = "rehearsed, nothing is paid out" if shop.refunds is None else "booked"
    again = " It stood there already." if booked.again else ""
    summary = f"{booking.amount} {shop.currency} of order {booking.order} refunded ({how}).{again}"
    data = {
        "key": booking.key,
        "order": booking.order,
        "ratio": booking.ratio,
        "amount": booking.amount,
        "currency": shop.currency,
        "reason": booking.reason,
        "booked_at": booking.booked_at,
        "refunded": booked.refunded,
        "rehearsal": shop.refunds is None,
    }
    return ToolResult(summary, data)


def _ledger(shop: Shop, context: ToolContext) -> Ledger:
    if shop.refunds is not None:
        return Ledger(shop.refunds)
    run = context.idempotency_key.split("/", 1)[0]
    return Ledger(cache_of(context).file(f"rehearsal-{run}.db", Path.touch))
