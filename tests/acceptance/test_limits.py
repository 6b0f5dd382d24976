"""A limit of the run is reached: exit code 4, and what is known so far is handed out."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from agents.fake_model.script import Script
from agents.fake_model.serving import serve

TEAM = """
name = "clerks"

[planner]

[agents.clerk]
instructions_text = "You are the CLERK."
tools = ["calculator"]

[composer]

[reviewer]
"""
PLAN = {"subtasks": [{"key": "work", "agent": "clerk", "title": "Work", "instruction": "Work."}]}
USED = {"usage": {"input": 100, "output": 50}}
SCRIPT = Script.model_validate(
    {
        "rules": [
            {"when": {"system": "You are the planner"}, "reply": {"text": json.dumps(PLAN), **USED}},
            {
                "when": {"system": "You are the CLERK"},
                "reply": {
                    "thought": "I add.",
                    "calls": [{"tool": "calculator", "arguments": {"expression": "40 + 2"}}],
                    **USED,
                },
            },
            {"reply": {"text": "Nobody gets here.", **USED}},
        ]
    }
)
TABLE = [["date", "ref", "amount"], ["2026-03-01", "A-1001", "5.00"], ["2026-03-02", "A-1002", "6.00"]]


def test_tokens(remit: Any, tmp_path: Path) -> None:
    """No call is made once the tokens are used up; the steps before it are told in the report."""
    (tmp_path / "team.toml").write_text(TEAM, encoding="utf-8")
    out = tmp_path / "out"
    goal = ["run", "How much?", "--team", str(tmp_path / "team.toml"), "--out", str(out), "--json"]
    with serve(SCRIPT) as model:
        env = {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "any", "REMIT_MODEL": "fake"}
        ended = remit(*goal, "--max-tokens", "300", **env)
        asked = len(model.requests)
    assert ended.code == 4, f"{ended.err}\n{remit.logs()}"
    assert ended.json["status"] == "limit"
    assert ended.json == json.loads((out / "result.json").read_text("utf-8"))
    assert asked == 2
    assert ended.json["usage"] == {
        "model": "fake",
        "calls": 2,
        "input_tokens": 200,
        "output_tokens": 100,
        "cost": None,
    }
    assert "42" in (out / "report.md").read_text("utf-8")


@pytest.mark.parametrize(("steps", "files"), [(3, {"report.md", "result.json"}), (9, {"exceptions.csv"})])
def test_steps(
    remit: Any,
    write_table: Callable[[str, Sequence[Sequence[str]]], Path],
    tmp_path: Path,
    steps: int,
    files: set[str],
) -> None:
    """Before the matching there is little to hand out, after it everything that was matched."""
    left, right = write_table("left.csv", TABLE), write_table("right.csv", TABLE[:2])
    goal = ["reconcile", str(left), str(right), "--out", str(tmp_path / "out"), "--json"]
    ended = remit(*goal, "--max-steps", str(steps))
    assert ended.code == 4, f"{ended.err}\n{remit.logs()}"
    assert ended.json["status"] == "limit"
    assert files | {"report.md", "result.json"} == {path.name for path in (tmp_path / "out").iterdir()}
    assert ("breaks" in ended.json) == (steps > 3)
