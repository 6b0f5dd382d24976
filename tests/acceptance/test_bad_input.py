"""Bad input gets one clear line, exit code 2, and leaves nothing behind."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

GOOD = [
    ["id", "date", "customer", "amount"],
    ["A-1001", "2026-03-01", "Acme", "12.50"],
    ["A-1002", "2026-03-02", "Bolt", "7.00"],
]


def one_line(err: str) -> str:
    """The only line of standard error, without a traceback."""
    lines = [line for line in err.splitlines() if line.strip()]
    assert len(lines) == 1, err
    assert "Traceback" not in err
    return lines[0]


@pytest.fixture
def good(write_table: Callable[..., Path]) -> Path:
    """A table that can be reconciled."""
    return write_table("good.csv", GOOD)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("missing.csv", None, "there is no such file"),
        ("", None, "this is a folder"),
        ("empty.csv", b"", "the file is empty"),
        ("one.csv", b"a\n1\n2\n", "column"),
        ("no.csv", b"name,city\nAda,London\nBob,Paris\n", "amount"),
        ("rubbish.csv", bytes(range(256)) * 20, "rubbish.csv"),
        ("x" * 300, None, "File name too long"),
        ("good.csv/x", None, "there is no such file"),
    ],
    ids=["missing", "folder", "empty", "one column", "no amount", "binary", "long", "in a file"],
)
def test_bad_tables(remit: Any, good: Path, tmp_path: Path, name: str, content: bytes | None, said: str) -> None:
    """The line names the file, what is wrong with it and what to do; no run is opened."""
    bad = tmp_path / name
    if content is not None:
        bad.write_bytes(content)
    ended = remit("reconcile", str(good), str(bad))
    line = one_line(ended.err)
    assert ended.code == 2
    assert said in line
    assert bad.name in line
    assert line.endswith("."), "it does not say what to do"
    assert not (remit.home / "remit.db").exists()


@pytest.mark.parametrize(
    ("arguments", "env", "said"),
    [
        (["run", "x", "--team", "nobody"], {}, "there is no such team"),
        (["run", "x", "--team", "reconcile", "--input", "left"], {}, "`left` is not NAME=VALUE"),
        (["reconcile", "only-one.csv"], {}, "1 file given. Give LEFT RIGHT"),
        (["reconcile", "~nobody-here/a.csv", "b.csv"], {}, "~nobody-here/a.csv: there is no such file"),
        (["runs", "show", "r999"], {}, "r999"),
        (["tickets", "answer", "t999", "yes"], {}, "t999"),
        (["runs", "list"], {"REMIT_BROKER_URL": "redis://127.0.0.1:1/0"}, "REMIT_DATABASE_URL is not"),
        (["runs", "list"], {"REMIT_BROKER_URL": "redis://h:1", "REMIT_DATABASE_URL": "oracle://x"}, "oracle"),
        pytest.param(["worker"], {}, "REMIT_BROKER_URL", marks=pytest.mark.embedded),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_usage(remit: Any, arguments: list[str], env: dict[str, str], said: str) -> None:
    """Wrong usage is one line and exit code 2."""
    ended = remit(*arguments, **env)
    assert ended.code == 2, ended.err
    assert said in one_line(ended.err)


def test_team_with_a_typo(remit: Any, tmp_path: Path) -> None:
    """A team file is checked before anything is stored: the line names the file, the key, and what was meant."""
    team = tmp_path / "team.toml"
    team.write_text(
        'name = "x"\n[agents.reader]\ninstructions_text = "Read."\ntoolz = ["calculator"]\n', encoding="utf-8"
    )
    ended = remit("run", "x", "--team", str(team))
    line = one_line(ended.err)
    assert ended.code == 2
    assert "team.toml: agents.reader.toolz" in line
    assert "tools" in line


def test_a_team_without_a_model(remit: Any, tmp_path: Path) -> None:
    """An agent that has neither a model nor a playbook: the line says what to set."""
    team = tmp_path / "team.toml"
    team.write_text('name = "x"\n[agents.reader]\ninstructions_text = "Read."\n', encoding="utf-8")
    ended = remit("run", "x", "--team", str(team))
    assert ended.code == 2
    assert "REMIT_MODEL" in one_line(ended.err)


def test_a_place_for_the_result_that_cannot_be_used(remit: Any, good: Path) -> None:
    """That the result could not be written is said before the work is done, not after it."""
    ended = remit("reconcile", str(good), str(good), "--out", str(good / "result"))
    assert ended.code == 2
    assert one_line(ended.err) == f"remit: {good}: this is a file, a folder is wanted. Name another folder."
    assert not (remit.home / "remit.db").exists()
