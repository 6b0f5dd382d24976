"""Every built-in tool ships its cases, and a model that does as it should passes them all."""

from pathlib import Path
from typing import Any

import pytest

from agents.evals.case import Case
from agents.evals.loading import TOOL_CASES, load_cases
from agents.fake_model.loading import parse_yaml
from agents.fake_model.serving import serve
from agents.tools.registry import BUILTIN

FOLDER = Path(__file__).parent
SHIPPED = sorted(path.stem for path in TOOL_CASES.glob("*.yaml"))


def cases_of(tool: str) -> dict[str, Case]:
    """The cases of a tool by what their names begin with."""
    return {
        case.name.removeprefix(f"{tool} "): case for case in load_cases(SHIPPED) if case.name.startswith(f"{tool} ")
    }


@pytest.mark.parametrize("tool", sorted(BUILTIN))
def test_a_tool_ships_its_cases(tool: str) -> None:
    """The right call, the case where it must not be called, and recovery from its error."""
    cases = cases_of(tool)
    alone = [case for name, case in cases.items() if name.startswith("is left alone")]
    recovers = [case for name, case in cases.items() if name.startswith("recovers from")]
    right = [case for case in cases.values() if case not in (*alone, *recovers)]
    assert right
    assert alone
    assert recovers
    for case in (*right, *recovers):
        assert any(call.tool == tool and call.ok for call in case.expect.calls), case.name
    for case in alone:
        assert case.expect.only or any(call.tool == tool for call in case.expect.forbidden), case.name
        assert tool in case.tools


def test_all_cases_pass(remit: Any, pages: str) -> None:
    """With a model that calls each tool as it should; where it recovers there was an error of that tool to recover
    from."""
    script = parse_yaml((FOLDER / "tools.yaml").read_text("utf-8").replace("PAGE", pages))
    with serve(script) as model:
        env = {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "any", "REMIT_MODEL": "fake"}
        web = {"REMIT_WEB_ALLOW": "127.0.0.1", "REMIT_ARXIV_URL": f"{pages}/api/query"}
        ended = remit("eval", *SHIPPED, "--json", "--at-once", "8", "--patience", "100", **env, **web)
    assert ended.out, f"{ended.err}\n{remit.logs()}"
    report = ended.json
    assert {one["case"]: one["reasons"] for one in report["trials"] if one["reasons"]} == {}, remit.logs()
    assert report["variants"][0]["trials"] == len(load_cases(SHIPPED))
    for trial in report["trials"]:
        tool, _, what = trial["case"].partition(" ")
        failed = [call["tool"] for call in trial["calls"] if call["ok"] is False]
        assert failed == ([tool] if what.startswith("recovers") else []), trial["case"]
