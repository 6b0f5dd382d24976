"""Shop files: what is read from them, and the sentence that says what is wrong with them."""

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from agents.errors import ToolError
from agents.teams.orders.shop import read_shop

Write = Callable[..., Path]


def test_a_shop(write_shop: Write) -> None:
    """Amounts are exact, an order is found however its number is spelt."""
    shop = read_shop(write_shop(currency="CHF"))
    order = shop.order("a 1001")
    assert (order.number, order.paid, order.total, shop.currency) == (
        "A-1001",
        Decimal("120.00"),
        Decimal("129.90"),
        "CHF",
    )


def test_an_unknown_order(write_shop: Write) -> None:
    """Near numbers are offered as a question, never taken."""
    shop = read_shop(write_shop())
    with pytest.raises(ToolError, match="the shop has no order `A-1009`") as caught:
        shop.order("A-1009")
    assert caught.value.mend == "Perhaps A-1001 or A-1002; ask which is meant, do not guess."
    with pytest.raises(ToolError) as caught:
        shop.order("zzz")
    assert caught.value.mend == "Say that there is no such order."


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"refunds": "refunds.db"}, "refunds: the path has to be absolute, because workers run anywhere"),
        ({"currency": "euro"}, "currency: String should match pattern"),
        ({"orders": [{"paid": "200.00"}]}, "orders.0: 200.00 was paid for an order of 129.90"),
        ({"orders": [{"paid": "1.005"}]}, "orders.0.paid: Decimal input should have no more than 2 decimal places"),
        ({"orders": [{"paid": -1}]}, "orders.0.paid: Input should be greater than or equal to 0"),
        ({"orders": [{"items": []}]}, "orders.0.items: Tuple should have at least 1 item"),
        ({"orders": [{}, {"number": "a1001"}]}, "orders: the order a1001 stands there twice"),
        ({"owner": "me"}, "owner: Extra inputs are not permitted"),
    ],
)
def test_a_wrong_shop(write_shop: Write, order: dict[str, Any], changes: dict[str, Any], said: str) -> None:
    """Which part is wrong, and why."""
    if "orders" in changes:
        changes = {"orders": [{**order, **change} for change in changes["orders"]]}
    with pytest.raises(ToolError) as caught:
        read_shop(write_shop(**changes))
    assert caught.value.code == "unusable_input"
    assert caught.value.what.startswith(f"the shop file: {said}")


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"[1", b"orders: []"])
def test_no_json(tmp_path: Path, content: bytes) -> None:
    """Whatever else the file holds."""
    path = tmp_path / "shop.json"
    path.write_bytes(content)
    with pytest.raises(ToolError, match="the shop file is no JSON"):
        read_shop(path)
