"""Teams with MCP servers: what is checked when a goal is handed in, what is pinned, and what agents then have."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agents.catalog import check, load_team, pin, tool_of, unpin
from agents.catalog.team import Team
from agents.errors import ToolError
from orchestrator.errors import TeamError

TOOLS = """
with open("starts", "a") as file: file.write("x")
TOOLS = [
    {"name": "look", "description": "Looks.", "inputSchema": {"type": "object", "required": ["at"],
     "properties": {"at": {"$ref": "#/$defs/Place"}}, "$defs": {"Place": {"type": "string", "enum": ["sea", "sky"]}}},
     "annotations": {"readOnlyHint": True}},
    {"name": "move", "inputSchema": {"type": "object"}, "annotations": {"idempotentHint": True}},
    {"name": "strange", "inputSchema": {"type": "object", "properties": {"a": {"$ref": "https://example.org/a"}}}},
    {"name": "broken", "inputSchema": {"type": "object", "properties": {"a": {"type": "wish"}}}},
    {"name": "n" * 70, "inputSchema": {"type": "object"}},
]
"""


@pytest.fixture
def team(tmp_path: Path, bare: Any) -> Callable[..., Team]:
    """Makes a team whose one agent has these tools of the server `bare`."""

    def make(*tools: str, change: str = TOOLS, more: str = "") -> Team:
        server = bare(change)
        picked = ", ".join(f'"mcp:bare/{tool}"' for tool in tools)
        (tmp_path / "team.toml").write_text(
            f"""
name = "lookers"
[mcp.bare]
command = {json.dumps(server.command)}
{more}
[agents.looker]
instructions_text = "Look."
tools = [{picked}]
""",
            "utf-8",
        )
        return load_team(str(tmp_path))

    return make


def test_loading_starts_nothing(team: Any, tmp_path: Path) -> None:
    """Checking starts each server once, in the folder of the team file."""
    loaded = team("look", "move")
    assert not (tmp_path / "starts").exists()
    assert check(loaded) == []
    assert (tmp_path / "starts").read_text("utf-8") == "x"


@pytest.mark.parametrize(
    ("tool", "told"),
    [
        ("lock", "mcp.bare: the server offers no tool `lock`. Did you mean `look`?"),
        ("strange", "mcp.bare: strange: the schema refers to `https://example.org/a`, outside of itself."),
        ("broken", "mcp.bare: broken: the schema of its arguments is none: 'wish' is not valid under any of"),
        ("n" * 70, f"mcp.bare: `bare.{'n' * 70}` is longer than the 64 characters that models take."),
    ],
)
def test_a_tool_that_cannot_be_used(team: Any, tool: str, told: str) -> None:
    """One line that says what is wrong and what to do."""
    (problem,) = check(team("look", tool))
    assert problem.startswith(told)
    assert "\n" not in problem
    with pytest.raises(TeamError) as caught:
        pin(team("look", tool))
    assert problem in str(caught.value)


def test_a_server_that_does_not_start(team: Any, tmp_path: Path) -> None:
    """Its own last words, and how to try it."""
    (problem,) = check(team("look", change="sys.exit('no licence')"))
    assert problem == (
        "mcp.bare: the server `bare`: it cannot be used: no answer came: Connection closed; it last said: no licence; "
        f"the process ended with exit code 1. Try the command by hand in {tmp_path}: it has to wait for input."
    )


def test_a_server_that_hangs(team: Any) -> None:
    """The check has a time limit."""
    (problem,) = check(team("look", change="time.sleep(600)", more="start_seconds = 0.3"))
    assert problem.startswith("mcp.bare: the server `bare`: it did not get ready within 0.3 s. Try the command by hand")


def test_a_variable_that_is_not_set(team: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is named, and nothing is started without it."""
    monkeypatch.delenv("BARE_TOKEN", raising=False)
    loaded = team("look", more='env = { TOKEN = "${BARE_TOKEN}" }')
    (problem,) = check(loaded)
    assert problem == (
        "mcp.bare.env.TOKEN: the variable `BARE_TOKEN` is not set. "
        "Set BARE_TOKEN where `remit` and its workers run, and start them again."
    )
    assert not (tmp_path / "starts").exists()
    monkeypatch.setenv("BARE_TOKEN", "hunter2")
    assert check(loaded) == []
    assert "hunter2" not in pin(loaded)


def test_a_worker_on_which_a_variable_is_not_set(team: Any, desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The agent is told, and which variable it is."""
    monkeypatch.setenv("BARE_TOKEN", "hunter2")
    pinned = unpin(pin(team("look", more='env = { TOKEN = "${BARE_TOKEN}" }')))
    with pytest.raises(ToolError) as caught:
        desk.run(tool_of(pinned, "mcp:bare/look", desk.servers), at="sea")
    assert caught.value.code == "server_unavailable"
    assert caught.value.what.startswith("bare.look was not run: the variable `BARE_TOKEN` is not set. Set BARE_TOKEN")


def test_an_effect_of_a_tool_that_there_is_not(team: Any) -> None:
    """A slip of the pen must not leave a tool with an effect that nobody meant."""
    (problem,) = check(team("look", more='effects = { loook = "read" }'))
    assert problem == "mcp.bare.effects.loook: the server offers no such tool. Did you mean `look`?"


@pytest.mark.parametrize(
    ("said", "effects"),
    [
        ("", ("unsafe", "unsafe")),
        ('effects = { look = "read", move = "idempotent" }', ("read", "idempotent")),
        ('effects = { look = "idempotent", move = "read" }', ("idempotent", "unsafe")),
        ('effects = { look = "unsafe", move = "unsafe" }', ("unsafe", "unsafe")),
    ],
)
def test_effects_count_when_both_say_so(team: Any, desk: Any, said: str, effects: tuple[str, str]) -> None:
    """The team alone is not believed, and the server alone neither."""
    pinned = unpin(pin(team("look", "move", more=said)))
    tools = [tool_of(pinned, reference, desk.servers) for reference in pinned.specialists[0].tools]
    assert tuple(tool.effect for tool in tools) == effects


def test_what_was_offered_is_pinned(team: Any, desk: Any, tmp_path: Path) -> None:
    """A worker knows the tool without starting its server; a second pinning asks nobody."""
    text = pin(team("look"))
    pinned = unpin(text)
    look = tool_of(pinned, "mcp:bare/look", desk.servers)
    assert look.name == "bare.look"
    assert look.description == "Looks."
    assert look.schema()["properties"] == {"at": {"$ref": "#/$defs/Place"}}
    assert pin(pinned) == text
    assert (tmp_path / "starts").read_text("utf-8") == "x"
    assert "'at': 'sea'" in desk.run(look, at="sea").data
    assert (tmp_path / "starts").read_text("utf-8") == "xx"


def test_a_server_that_changed_after_the_run_was_opened(team: Any, desk: Any, bare: Any) -> None:
    """The models were told of other arguments; the call is not made."""
    pinned = unpin(pin(team("look")))
    bare(TOOLS.replace('"sea", "sky"', '"sea"'))
    with pytest.raises(ToolError, match="takes other arguments for it than when this run was opened"):
        desk.run(tool_of(pinned, "mcp:bare/look", desk.servers), at="sky")


def test_a_list_that_changes_while_the_server_runs(team: Any, desk: Any) -> None:
    """The server says so, and the next call looks."""
    change = (
        TOOLS
        + """
def call(name, arguments):
    if name == "move":
        TOOLS[:] = TOOLS[1:]
        send({"method": "notifications/tools/list_changed"})
    return say(name)
"""
    )
    pinned = unpin(pin(team("look", "move", change=change)))
    look, move = (tool_of(pinned, reference, desk.servers) for reference in pinned.specialists[0].tools)
    assert desk.run(look, at="sea").data == "look"
    assert desk.run(move).data == "move"
    with pytest.raises(ToolError, match="does not offer it any more"):
        desk.run(look, at="sea")


def test_a_tool_that_was_not_picked_is_not_there(team: Any, desk: Any) -> None:
    """An agent cannot reach the other tools of the server."""
    pinned = unpin(pin(team("look")))
    with pytest.raises(TeamError, match="it is not known what this tool is"):
        tool_of(pinned, "mcp:bare/move", desk.servers)


def test_two_servers_are_asked_side_by_side(tmp_path: Path, bare: Any) -> None:
    """Each only after the other has started would never end."""
    script = """
open(sys.argv[1], "w").close()
while not os.path.exists(sys.argv[2]): time.sleep(0.01)
"""
    bare(script)
    command = [sys.executable, "-I", "-S", "bare.py"]
    servers = "".join(
        f"[mcp.{one}]\ncommand = {json.dumps([*command, one, other])}\nstart_seconds = 10\n"
        for one, other in (("a", "b"), ("b", "a"))
    )
    agent = '[agents.x]\ninstructions_text = "x"\ntools = ["mcp:a/work", "mcp:b/work"]\n'
    (tmp_path / "team.toml").write_text(f'name = "two"\n{servers}{agent}', "utf-8")
    assert check(load_team(str(tmp_path))) == []


def test_a_server_that_no_agent_uses_is_not_started(team: Any, tmp_path: Path) -> None:
    """It costs nothing to name it."""
    assert check(team()) == []
    assert not (tmp_path / "starts").exists()


def test_the_folder_may_be_missing_on_a_worker(
    team: Any, desk: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then the command alone has to be found there."""
    pinned = unpin(pin(team("look")))
    server = pinned.server("bare")
    assert server is not None
    script = (*server.command[:-1], str(tmp_path / "bare.py")) if server.command else ()
    moved = server.model_copy(update={"folder": "/no/such/folder", "command": script})
    monkeypatch.chdir(tmp_path)
    look = tool_of(pinned.model_copy(update={"mcp": (moved,)}), "mcp:bare/look", desk.servers)
    assert desk.run(look, at="sea").data.startswith("look ")
