"""`remit eval` as people use it: what it prints, how it ends, and the one line for each thing that is wrong."""

from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from agents.fake_model.loading import parse_yaml
from agents.fake_model.serving import FakeModel, serve

CASES = """
tools: [calculator]
cases:
  - name: adds
    goal: How much is 17 + 25?
    expect: {calls: [{tool: calculator, ok: true}], answer: {figures: 42}}
  - name: guesses
    goal: How much is 6 * 7?
    expect: {calls: [calculator], answer: {figures: 42}}
"""
SCRIPT = r"""
rules:
  - when: {system: Answer the question from what you know, user: "17"}
    reply: {text: "It is 42, I believe."}
  - when: {system: Answer the question from what you know}
    reply: {text: "It is 43."}
  - when: {system: You are the planner, user: {matches: '"text":"(?P<goal>[^"]*)"'}}
    reply: {text: '{"subtasks": [{"key": "do", "agent": "agent", "title": "Do", "instruction": "{{ groups.goal }}"}]}'}
  - when: {system: You are a specialist, user: "17", tool_results: 0}
    reply: {calls: [{tool: calculator, arguments: {expression: 17 + 25}}]}
  - when: {system: You are a specialist, user: "17"}
    reply: {text: '{"summary": "It is {{ result.data.value }} [{{ result.ref }}]."}'}
  - when: {system: You are a specialist}
    reply: {text: '{"summary": "Six times seven."}'}
  - when: {system: You are the composer, user: {matches: '"text":"(?P<said>[^"]*)","data"'}}
    reply: {text: '{"answer": "{{ groups.said }}"}'}
  - when: {system: You are the reviewer}
    reply: {text: '{"verdict": "pass"}'}
"""


@pytest.fixture(scope="module")
def model() -> Generator[FakeModel]:
    """A model that computes one thing and guesses the other."""
    with serve(parse_yaml(SCRIPT)) as served:
        yield served


@pytest.fixture
def evaluate(remit: Any, model: FakeModel, tmp_path: Path) -> Callable[..., Any]:
    """Evaluates cases with that model."""

    def run(text: str, *options: str, name: str = "cases.yaml") -> Any:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return remit("eval", str(path), *options, OPENAI_BASE_URL=model.url, OPENAI_API_KEY="any", REMIT_MODEL="fake")

    return run


def test_a_table_and_the_exit_code(evaluate: Callable[..., Any]) -> None:
    """Half passes: too few for the threshold, and the reasons are told."""
    ended = evaluate(CASES)
    assert ended.code == 1
    lines = [" ".join(line.split()) for line in ended.out.splitlines()]
    assert lines[1] == "case passed unsupported steps tokens time cost"
    assert lines[2].startswith("adds ✓ 0 5.0 ")
    assert lines[3].startswith("guesses ✗ 0 4.0 ")
    assert lines[5].startswith("✗ guesses r")
    assert lines[6:8] == ["The answer has no figure 42.", "No call `calculator()`; made were none."]
    assert lines[-1] == "1 of 2 passed, 50%; 90% are wanted."


def test_beside_plain_answers(evaluate: Callable[..., Any]) -> None:
    """The model alone is asked once and judged by its answer; what it says has no source."""
    ended = evaluate(
        CASES, "--compare", "plain", "fake", "--repeat", "2", "--only", "adds", "--threshold", "1", "--json"
    )
    assert ended.code == 0
    plain, team = ended.json["variants"]
    assert (plain["name"], plain["trials"], plain["accuracy"], plain["pass_rate"]) == ("plain", 2, 1.0, 1.0)
    assert (plain["steps"], plain["unsupported"]) == (1.0, 2)
    assert (team["name"], team["trials"], team["accuracy"], team["pass_rate"]) == ("fake", 2, 1.0, 1.0)
    assert (team["steps"], team["unsupported"]) == (5.0, 0)
    assert [(one["variant"], one["repeat"]) for one in ended.json["trials"]] == [
        ("plain", 1),
        ("plain", 2),
        ("fake", 1),
        ("fake", 2),
    ]


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("cases:\n  - name: a\n    goal: b\n    wants: {}\n", [], "{path}:4: case 1: wants: there is no such key"),
        (CASES.replace("[calculator]", "[calculater]"), [], "One agent with calculater: agents.agent.tools: tool"),
        (CASES, ["--team", "nobody"], "`nobody`: there is no such team"),
        (CASES, ["--only", "nothing"], "--only: no case has `nothing` in its name. There are: adds, guesses."),
        (CASES, ["--compare", "plain", "plain"], "--compare: both are called `plain`."),
        (CASES, ["--model", "playbook"], "--model playbook: agent `planner` of team `tool-cases` has no playbook"),
    ],
)
def test_what_cannot_be_evaluated(
    evaluate: Callable[..., Any], remit: Any, tmp_path: Path, text: str, options: list[str], said: str
) -> None:
    """One line and exit code 2, and nothing was started."""
    ended = evaluate(text, *options)
    assert ended.code == 2
    assert ended.err.startswith(f"remit: {said.format(path=tmp_path / 'cases.yaml')}")
    assert ended.err.count("\n") == 1
    assert remit.processes() == []
