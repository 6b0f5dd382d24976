"""A team that ships nowhere runs through the same trunk, with a model behind a real endpoint."""

import re
from pathlib import Path
from typing import Any

from agents.fake_model.serving import serve

FOLDER = Path(__file__).parent / "second_team"


def keys(shown: str) -> dict[str, str]:
    """Key → status of each subtask, as `runs show` draws them."""
    pattern = re.compile(r"── (?P<mark>[✓✗−]) (?P<key>\S+)")
    marks = {"✓": "done", "✗": "failed", "−": "skipped"}
    return {m["key"]: marks[m["mark"]] for line in shown.splitlines() if (m := pattern.search(line))}


def test_the_whole_flow(remit: Any) -> None:
    """A bad plan is mended, turns run side by side, a subtask is mapped and joined, one is replanned around, a person
    is asked, the reviewer sends one back, and the answer cites what it rests on."""
    with serve(FOLDER / "script.yaml") as model:
        env = {
            "OPENAI_BASE_URL": model.url,
            "OPENAI_API_KEY": "any",
            "REMIT_MODEL": "fake",
            "PYTHONPATH": str(FOLDER),
        }
        ended = remit("run", "How many houses?", "--team", str(FOLDER / "team.toml"), "--json", **env)
        assert ended.code == 3, f"{ended.err}\n{remit.logs()}"
        waiting = ended.json
        assert [(t["question"], t["status"]) for t in waiting["tickets"]] == [("Does the mayor's house count?", "open")]
        ended = remit("tickets", "answer", waiting["tickets"][0]["id"], "It counts", "--json", **env)
        assert ended.code == 0, f"{ended.err}\n{remit.logs()}"
        result = ended.json
        assert result["status"] == "done"
        assert "North has 1,204 houses [E" in result["answer"]
        assert result["usage"]["model"] == "fake"
        assert result["usage"]["calls"] == len(model.requests)
        statuses = keys(remit("runs", "show", result["run"]).out)
    assert statuses == {
        "plan": "done",
        "north": "done",
        "south": "done",
        "towns": "done",
        "each": "done",
        "each[1]": "done",
        "each[2]": "done",
        "each[3]": "done",
        "ask": "done",
        "lost": "failed",
        "after-lost": "skipped",
        "replan1": "done",
        "found": "done",
        "compose": "done",
        "review": "done",
        "north@3": "done",
        "compose@3": "done",
        "review@3": "done",
    }
