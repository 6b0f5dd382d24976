"""`remit runs cancel` on a run of a team that has its effects undone: by the real command, with real workers."""

from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
ENV = {"PYTHONPATH": str(FOLDER)}


def begun(remit: Any, log: Path) -> str:
    """A run that has paid and sent, and asks; its id."""
    command = ("run", "Buy.", "--team", str(FOLDER / "team.toml"), "--param", f"log={log}", "--json")
    waiting = remit(*command, **ENV)
    assert waiting.code == 3, f"{waiting.err}\n{remit.logs()}"
    assert log.read_text().splitlines() == ["pay 12.50", "send"]
    return str(waiting.json["run"])


def test_cancelling_undoes(remit: Any, tmp_path: Path) -> None:
    """The last thing first; `runs show` has the whole ledger, and says what became of each."""
    log = tmp_path / "deeds"
    with remit.up(**ENV):
        run = begun(remit, log)
        ended = remit("runs", "cancel", run, "--reason", "no longer wanted", **ENV)
    assert ended.code == 0, f"{ended.err}\n{remit.logs()}"
    told = ["no longer wanted", f"`shop.send` ({run}/buy#1.c1.1): undone", f"`shop.pay` ({run}/buy#1.c1.0): undone"]
    assert ended.out.splitlines() == told
    assert f"{run} has stopped; what it did is being undone." in ended.err
    assert log.read_text().splitlines() == ["pay 12.50", "send", "recall", "refund 12.50"]
    shown = remit("runs", "show", run, **ENV).out
    rows = [line.split()[:3] for line in shown.splitlines() if line.startswith("happened")]
    assert rows == [
        ["happened", "buy", "shop.pay"],
        ["happened", "buy", "shop.send"],
        ["happened", "undo", "undo:shop.send"],
        ["happened", "undo", "undo:shop.pay"],
    ]
    assert [line for line in shown.splitlines() if line in told] == told
    again = remit("runs", "cancel", run, **ENV)
    assert (again.code, "the run has already ended: cancelled" in again.err) == (2, True)


def test_what_cannot_be_undone_becomes_a_question(remit: Any, tmp_path: Path) -> None:
    """The command ends with 3 and the ticket; whoever answers it has the rest undone."""
    log = tmp_path / "deeds"
    gone = tmp_path / "gone"
    gone.touch()
    with remit.up(**ENV):
        run = begun(remit, log)
        asked = remit("runs", "cancel", run, **ENV)
        assert asked.code == 3, f"{asked.err}\n{remit.logs()}"
        (ticket,) = remit("tickets", "list", "--json", **ENV).json
        assert "`shop.send` could not be undone: the parcel has left the house." in ticket["question"]
        refused = remit("runs", "cancel", run, **ENV)
        assert (refused.code, "what it did is being undone" in refused.err) == (2, True)
        gone.unlink()
        ended = remit("tickets", "answer", ticket["id"], "again", "--json", **ENV)
    assert (ended.code, ended.json["status"]) == (1, "cancelled")
    assert log.read_text().splitlines() == ["pay 12.50", "send", "recall", "refund 12.50"]
