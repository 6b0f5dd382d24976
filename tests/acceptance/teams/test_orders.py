"""The orders team books a refund in the shop's ledger, and takes it back when its run is cancelled."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from agents.fake_model.serving import serve

FOLDER = Path(__file__).parent
SHOP = FOLDER.parents[2] / "agents" / "teams" / "orders" / "shop.json"


def booked(ledger: Path) -> list[tuple[str, int]]:
    """Order and cents of each booking, the first one first."""
    with closing(sqlite3.connect(ledger)) as connection:
        return connection.execute("SELECT order_number, cents FROM refunds ORDER BY rowid").fetchall()


def test_a_cancelled_run_takes_its_refund_back(remit: Any, tmp_path: Path) -> None:
    """The booking stays in the ledger, and the one that takes it back stands beside it."""
    ledger = tmp_path / "refunds.db"
    shop = tmp_path / "shop.json"
    shop.write_text(json.dumps({**json.loads(SHOP.read_text("utf-8")), "refunds": str(ledger)}), "utf-8")
    with serve(FOLDER / "orders_cancelled.yaml") as model:
        env = {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "any", "REMIT_MODEL": "fake"}
        with remit.up(**env):
            goal = ("run", "Refund 30 % of order A-1001.", "--team", "orders", "--input", f"shop={shop}", "--json")
            waiting = remit(*goal, **env)
            assert waiting.code == 3, f"{waiting.err}\n{remit.logs()}"
            assert [one["question"] for one in waiting.json["tickets"]] == ["Is the lamp sent back as well?"], (
                remit.logs()
            )
            assert booked(ledger) == [("A-1001", 3897)]
            run = waiting.json["run"]
            ended = remit("runs", "cancel", run, **env)
        assert ended.code == 0, f"{ended.err}\n{remit.logs()}"
    assert f"`orders.refund` ({run}/do#2.c2.0): undone" in ended.out
    assert booked(ledger) == [("A-1001", 3897), ("A-1001", -3897)]
