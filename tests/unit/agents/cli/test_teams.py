"""`remit teams NAME` shows each agent with its tools, by the names that agents and traces use."""

from pathlib import Path

import pytest

from agents.cli.teams import teams


@pytest.fixture(autouse=True)
def _width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")


def test_tools_by_their_names(capsys: pytest.CaptureFixture[str]) -> None:
    """A team's own tools are called as the agent calls them, each on a line that nothing breaks."""
    teams("factcheck")
    said = capsys.readouterr().out
    assert [name for name in said.split() if "." in name.rstrip(".")] == [
        "arxiv.search",
        "web.fetch",
        "factcheck.numbers",
        "factcheck.verdict",
        "evidence.read",
    ]


def test_a_tool_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is shown as the file names it, and what is wrong is said below."""
    path = tmp_path / "team.toml"
    path.write_text(
        'name = "shop"\n[agents.clerk]\nabout = "a"\ninstructions_text = "b"\ntools = ["clock", "shop:no"]\n',
        encoding="utf-8",
    )
    teams(str(path))
    said = capsys.readouterr().out
    assert "shop:no" in said
    assert "✗ agents.clerk.tools: " in said
