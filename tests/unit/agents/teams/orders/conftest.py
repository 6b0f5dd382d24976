"""A shop, its ledger, and calls of the team's tools."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agents.tools.local_context import LocalContext

ORDER: dict[str, Any] = {
    "number": "A-1001",
    "placed": "2026-02-03",
    "state": "delivered",
    "paid": "120.00",
    "items": [{"article": "Lamp", "pieces": 1, "price": "129.90"}],
}
UNPAID = {**ORDER, "number": "A-1002", "paid": 0}


@pytest.fixture
def order() -> dict[str, Any]:
    """An order as it is written."""
    return dict(ORDER)


@pytest.fixture
def write_shop(tmp_path: Path) -> Callable[..., Path]:
    """Writes a shop file; by itself with one paid and one unpaid order, and a ledger."""

    def write(**changes: Any) -> Path:
        path = tmp_path / "shop.json"
        content = {"refunds": str(tmp_path / "refunds.db"), "orders": [ORDER, UNPAID], **changes}
        path.write_text(json.dumps(content), encoding="utf-8")
        return path

    return write


@pytest.fixture
def at(write_shop: Callable[..., Path], tmp_path: Path) -> Callable[..., LocalContext]:
    """Makes the context of one call in the shop; `call` is what its key is made of."""

    def context(call: str = "r1/a#2.c2.0", **changes: Any) -> LocalContext:
        cache = {"cache": str(tmp_path / "cache")}
        return LocalContext(inputs={"shop": write_shop(**changes)}, settings=cache, idempotency_key=call)

    return context
