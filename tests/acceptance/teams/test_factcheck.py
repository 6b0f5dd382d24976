"""Claims are checked against recorded pages: two independent sources, a person where they disagree, plain answers
beside the team's."""

import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from agents.evals.loading import read_cases
from agents.fake_model.serving import serve

EXAMPLE = Path(__file__).parents[3] / "examples" / "factcheck"


@pytest.fixture
def environment(archive: str) -> Generator[dict[str, str]]:
    """What a command needs to use the example's model and pages."""
    with serve(EXAMPLE / "model.yaml") as model:
        yield {
            "OPENAI_BASE_URL": model.url,
            "OPENAI_API_KEY": "any",
            "REMIT_MODEL": "fake",
            "REMIT_WEB_ALLOW": "127.0.0.1",
            "REMIT_ARXIV_URL": f"{archive}/api/query",
        }


@pytest.fixture
def archive() -> Generator[str]:
    """The address of the example's server."""
    command = [sys.executable, str(EXAMPLE / "serve.py"), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.terminate()


def test_plain_answers_beside_the_team(remit: Any, environment: dict[str, str]) -> None:
    """Of some of the claims: the team is right each time and leaves no figure without a source; plain answers believe
    everything."""
    options = ["--compare", "plain", "factcheck", "--only", "claim 01", "--json", "--patience", "100"]
    ended = remit("eval", str(EXAMPLE / "claims.yaml"), *options, **environment)
    assert ended.out, f"{ended.err}\n{remit.logs()}"
    report = ended.json
    of_team = [one for one in report["trials"] if one["variant"] == "factcheck"]
    assert {one["case"]: one["reasons"] for one in of_team if one["reasons"]} == {}, remit.logs()
    assert ended.code == 0
    plain, team = report["variants"]
    assert (team["trials"], team["accuracy"], team["unsupported"]) == (10, 1.0, 0)
    assert (plain["trials"], plain["steps"], plain["unsupported"]) == (10, 1.0, 10)
    believed = sum("both sources have it" in one["case"] for one in of_team)
    assert plain["accuracy"] == believed / 10
    assert plain["pass_rate"] == plain["accuracy"]
    assert 0 < believed < 10


def test_a_person_decides_where_sources_disagree(remit: Any, environment: dict[str, str]) -> None:
    """The question says what each source has; the answer to it is the verdict."""
    (case, *_) = [one for one in read_cases(EXAMPLE / "claims.yaml") if one.expect.ending == "waiting"]
    with remit.up(**environment):
        asking = remit("run", case.goal, "--team", "factcheck", "--no-ask", "--json", **environment)
        assert asking.code == 3, f"{asking.err}\n{remit.logs()}"
        (ticket,) = asking.json["tickets"]
        answered = remit("tickets", "answer", ticket["id"], "refuted", "--json", **environment)
    claim = case.goal.split("“")[1].split(".”")[0]
    assert ticket["question"] == f"Sources disagree about the claim “{claim}”. Which verdict holds?"
    assert answered.code == 0, f"{answered.err}\n{remit.logs()}"
    answer = answered.json["answer"]
    assert answer.startswith(
        "Verdict: refuted. A person decided so [E2.6], because the sources disagree. The sources have "
    )
    one, other = case.name.partition("one source has ")[2].split(", the other ")
    assert one in answer
    assert other in answer


def test_where_there_is_nothing_to_judge_by(remit: Any, environment: dict[str, str]) -> None:
    """Its own cases pass: no verdict without sources, and a question where there is no claim."""
    ended = remit("eval", "factcheck", "--json", **environment)
    assert ended.out, f"{ended.err}\n{remit.logs()}"
    assert {one["case"]: one["reasons"] for one in ended.json["trials"]} == {
        "factcheck gives no verdict on what no paper speaks of": [],
        "factcheck asks for a claim that was not given": [],
        "factcheck checks two claims one by one": [],
    }
