"""The shipped teams behave as their cases say, each with a scripted model behind a real endpoint."""

import json
from pathlib import Path
from typing import Any

import pytest

from agents.fake_model.serving import serve

FOLDER = Path(__file__).parent


@pytest.mark.parametrize("team", ["analyst", "orders", "research", "weather"])
def test_a_team_behaves(remit: Any, team: str) -> None:
    """All its cases pass, and no answer has a figure without a source."""
    with serve(FOLDER / f"{team}.yaml") as model:
        ended = remit("eval", team, "--json", OPENAI_BASE_URL=model.url, OPENAI_API_KEY="any", REMIT_MODEL="fake")
    assert ended.out, f"{ended.err}\n{remit.logs()}"
    report = ended.json
    assert {one["case"]: one["reasons"] for one in report["trials"] if one["reasons"]} == {}
    assert ended.code == 0
    assert report["variants"][0]["unsupported"] == 0
    if team == "weather":
        observing = [json.loads(one.body) for one in model.requests if b"Look up each city" in one.body]
        assert observing
        assert all("tools" not in body for body in observing)
