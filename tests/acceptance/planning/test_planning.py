"""Before anybody works: a plan that cannot be carried out, a goal that lacks something, an answer at once."""

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from agents.fake_model.serving import FakeModel, serve

FOLDER = Path(__file__).parent


@pytest.fixture
def model() -> Generator[FakeModel]:
    """The scripted model."""
    with serve(FOLDER / "script.yaml") as served:
        yield served


@pytest.fixture
def env(model: FakeModel) -> dict[str, str]:
    """The environment that names it."""
    return {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "any", "REMIT_MODEL": "fake"}


def goal(text: str) -> list[str]:
    """The command that hands the goal in."""
    return ["run", text, "--team", str(FOLDER / "team.toml"), "--json"]


def test_a_circle(remit: Any, env: dict[str, str], model: FakeModel) -> None:
    """It goes back with the reasons twice, then to a person, whose word mends it or stops the run."""
    with remit.up(**env):
        waiting = remit(*goal("Go round."), **env)
        assert waiting.code == 3, f"{waiting.err}\n{remit.logs()}"
        assert len(model.requests) == 3
        (ticket,) = waiting.json["tickets"]
        assert ticket["question"].startswith("No plan could be made for this goal.")
        asked = remit("tickets", "show", ticket["id"], "--json").json
        assert "The subtasks wait for each other in a circle: " in asked["tried"]
        ended = remit("tickets", "answer", ticket["id"], "Just say it.", "--json", **env)
        assert (ended.code, ended.json["answer"]) == (0, "It goes round."), f"{ended.err}\n{remit.logs()}"
        (again,) = remit(*goal("Go round."), **env).json["tickets"]
        ended = remit("tickets", "answer", again["id"], "stop", "--json", **env)
        assert (ended.code, ended.json["status"]) == (1, "failed")


def test_a_question_first(remit: Any, env: dict[str, str], model: FakeModel) -> None:
    """The planner asks the asker before anything is planned, and goes on with the answer."""
    with remit.up(**env):
        waiting = remit(*goal("Order more."), **env)
        assert waiting.code == 3, f"{waiting.err}\n{remit.logs()}"
        (ticket,) = remit("tickets", "list", "--json").json
        assert (ticket["kind"], ticket["question"]) == ("clarification", "More of what?")
        assert [choice["value"] for choice in ticket["choices"]] == ["chairs", "tables"]
        ended = remit("tickets", "answer", ticket["id"], "1", "--json", **env)
    assert (ended.code, ended.json["answer"]) == (0, "Chairs it is."), f"{ended.err}\n{remit.logs()}"
    assert len(model.requests) == 3


def test_what_must_not_leave(remit: Any, env: dict[str, str], tmp_path: Path) -> None:
    """A secret found by pattern and a name the reviewer keeps back are in no file and on no line that is printed."""
    out = tmp_path / "out"
    with remit.up(**env):
        ended = remit(*goal("Tell the key."), "--out", str(out), **env)
        assert ended.code == 0, f"{ended.err}\n{remit.logs()}"
        printed = remit("runs", "result", ended.json["run"]).out
    said = [ended.out, ended.err, printed, *(path.read_text("utf-8") for path in out.iterdir())]
    assert [text for text in said if "AKIAQ3EXAMPLEKEY7Z2T" in text or "Zebedee" in text] == []
    assert json.loads((out / "result.json").read_text("utf-8"))["answer"].startswith("The key is ")
