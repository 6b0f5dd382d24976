"""`remit doctor` looks at everything a run needs and says what to do about each problem; `remit teams` lists teams."""

import socket
from pathlib import Path
from typing import Any

import pytest

from agents.fake_model.script import Script
from agents.fake_model.serving import serve

SCRIPT = Script.model_validate({"models": ["small", "large"], "key": "right", "rules": [{"reply": {"text": "ready"}}]})


def closed_port() -> int:
    """A port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def found(out: str) -> dict[str, tuple[str, str]]:
    """What was looked at → mark and line; of teams the last."""
    lines = [line for line in out.splitlines() if line[:1] in {"✓", "✗"}]
    return {line[2:].split()[0]: (line[0], line[2:].split(maxsplit=1)[1]) for line in lines}


@pytest.mark.embedded
def test_all_is_well(remit: Any) -> None:
    """Without a model, and with one that answers; what was started for a look is ended again."""
    ended = remit("doctor")
    assert ended.code == 0, ended.out
    looked = found(ended.out)
    assert list(looked) == ["home", "database", "services", "model", "team"]
    assert {mark for mark, _ in looked.values()} == {"✓"}
    assert "none is configured" in looked["model"][1]
    assert "reconcile: its agents, tools and playbooks load" in ended.out
    assert remit.processes() == []
    with serve(SCRIPT) as model:
        env = {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "right", "REMIT_MODEL": "small"}
        looked = found(remit("doctor", **env).out)
        assert looked["model"] == ("✓", f"{model.url} answers and has the model small.")


def test_each_problem(remit: Any, tmp_path: Path) -> None:
    """A team with a typo, a model that is misspelt, a wrong key, a broker and a database that are away: a line each."""
    team = tmp_path / "team.toml"
    team.write_text('name = "x"\n[agents.a]\ninstructions_text = "Do."\ntools = ["calculater"]\n', encoding="utf-8")
    port = closed_port()
    away = {
        "REMIT_BROKER_URL": f"redis://127.0.0.1:{port}/0",
        "REMIT_DATABASE_URL": f"postgresql://remit@127.0.0.1:{port}/remit",
        "OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1",
        "OPENAI_API_KEY": "any",
        "REMIT_MODEL": "small",
    }
    ended = remit("doctor", "--team", str(team), **away)
    assert ended.code == 1
    assert ended.out.rstrip().endswith("4 problems.")
    assert "Traceback" not in ended.out + ended.err
    looked = found(ended.out)
    assert {name: mark for name, (mark, _) in looked.items()} == {
        "home": "✓",
        "database": "✗",
        "broker": "✗",
        "model": "✗",
        "team": "✗",
    }
    assert str(port) in looked["database"][1]
    assert "the broker does not answer" in looked["broker"][1]
    assert "did not answer" in looked["model"][1]
    assert "agents.a.tools" in looked["team"][1]
    assert "calculator" in looked["team"][1]
    with serve(SCRIPT) as model:
        wrong = away | {"OPENAI_BASE_URL": model.url}
        assert "OPENAI_API_KEY" in found(remit("doctor", **wrong).out)["model"][1]
        misspelt = wrong | {"OPENAI_API_KEY": "right", "REMIT_MODEL": "smal"}
        assert "Did you mean small" in found(remit("doctor", **misspelt).out)["model"][1]


@pytest.mark.parametrize(
    ("env", "said"),
    [
        ({"REMIT_BROKER_URL": "redis://h:1"}, "REMIT_BROKER_URL is set but REMIT_DATABASE_URL is not."),
        ({"REMIT_DATABASE_URL": "sqlite:///x"}, "REMIT_DATABASE_URL is set but REMIT_BROKER_URL is not."),
        ({"REMIT_HOME": "/dev/null/home"}, "/dev/null/home: the folder cannot be used"),
        ({"REMIT_THREADS": "none"}, "REMIT_THREADS: "),
    ],
    ids=["broker alone", "database alone", "home", "threads"],
)
def test_settings_that_do_not_fit(remit: Any, env: dict[str, str], said: str) -> None:
    """Nothing else is looked at, and nothing is left behind."""
    ended = remit("doctor", **env)
    assert ended.code == 1
    ((mark, line),) = found(ended.out).values()
    assert (mark, said in line) == ("✗", True), ended.out
    assert not remit.home.exists()


def test_teams(remit: Any) -> None:
    """The teams that ship, and what each agent of one does, has and decides by; a name that is none says which are."""
    assert "reconcile" in remit("teams").out
    shown = remit("teams", "reconcile").out
    assert all(name in shown for name in ("reader", "matcher", "decider", "settler", "reconcile.match", "playbook"))
    unknown = remit("teams", "reconcil")
    assert unknown.code == 2
    assert "reconcile" in unknown.err
    assert len(unknown.err.splitlines()) == 1
