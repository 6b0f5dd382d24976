"""A run that an older Remit left waiting, with its database as that one wrote it, goes on under this one."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from orchestrator.adapters.blobs.folder import FolderBlobs

HERE = Path(__file__).parent
LEFT = HERE / "left"
"""Of the Remit that had schema 0003: a person is asked for a word; a worker died while it looked and while it paid.
Its lease and its call's deadline were put far back, so that they have passed whatever the clock says."""
RUN, WORD = "ruhs6w6ws", "ttv67gx"


pytestmark = pytest.mark.embedded  # what was left is a SQLite file


@pytest.fixture
def env() -> dict[str, str]:
    """Where the team's tools are, as they were then."""
    return {"PYTHONPATH": str(HERE / "keeping")}


@pytest.fixture
def left(remit: Any) -> Any:
    """The command in the home that was left."""
    remit.home.mkdir(mode=0o700)
    with closing(sqlite3.connect(remit.home / "remit.db")) as connection:
        connection.executescript((LEFT / "database.sql").read_text("utf-8"))
    FolderBlobs(remit.home / "blobs").put((LEFT / "team.json").read_bytes())
    return remit


def test_it_goes_on(left: Any, env: dict[str, str]) -> None:
    """Nothing would break, and nothing does: its steps are read and gone on from, the interrupted payment is asked
    about and not repeated, and the answer rests on what was observed before and after."""
    beforehand = left("doctor", "--before-deploy", **env)
    assert beforehand.code == 0, beforehand.out
    assert "schema 0003 becomes " in beforehand.out
    assert "1 go on or wait, this version breaks none" in beforehand.out
    with left.up(**env):
        first = left("tickets", "answer", WORD, "blue", "--json", **env)
        assert (first.code, first.json["status"]) == (3, "waiting"), f"{first.err}\n{left.logs()}"
        (paid,) = [one for one in first.json["tickets"] if one["status"] == "open"]
        assert paid["question"].startswith("Did `keeping.pay` happen?")
        ended = left("tickets", "answer", paid["id"], "happened", "--json", **env)
    assert (ended.code, ended.json["status"]) == (0, "done"), f"{ended.err}\n{left.logs()}"
    looked, word, payment = ended.json["answer"].split("\n\n")
    assert (looked, word) == ("It is 9 long [E2.2].", "The word is blue [E3.1].")
    assert payment.endswith("confirmed that keeping.pay happened. [E4.1]")
    checked = left("db", "check")
    assert (checked.code, "all is well" in checked.out) == (0, True), checked.out
    with left.store() as store:
        assert {one.key: one.deaths for one in store.subtasks(RUN) if one.deaths} == {"look": 1, "pay": 1}
        assert [step.kind for step in store.steps(f"{RUN}/look")] == ["reply"] * 3
