"""`[mcp.NAME]` in a team file: each mistake is one line with file and key, and no secret gets into a pinned team."""

from pathlib import Path

import pytest

from agents.catalog import Team, load_team
from agents.tools.mcp.declared import McpServer
from orchestrator.errors import TeamError

AGENT = '[agents.x]\ninstructions_text = "Work."\ntools = ["mcp:weather/get_forecast"]\n'


def loaded(folder: Path, section: str, agent: str = AGENT) -> Team:
    """A team with one server."""
    (folder / "team.toml").write_text(f'name = "t"\n{section}\n{agent}', "utf-8")
    return load_team(str(folder / "team.toml"))


def test_a_program(tmp_path: Path) -> None:
    """With what has a default left out; it will start in the folder of the team file."""
    team = loaded(tmp_path, '[mcp.weather]\ncommand = ["python", "server.py"]\nenv = { API_KEY = "${WEATHER_KEY}" }')
    expected = McpServer(
        name="weather",
        folder=str(tmp_path),
        command=("python", "server.py"),
        env={"API_KEY": "${WEATHER_KEY}"},
        seconds=30,
        start_seconds=30,
    )
    assert team.mcp == (expected,)
    assert team.server("weather") == expected
    assert team.server("whether") is None


def test_an_address(tmp_path: Path) -> None:
    """A private one too: whoever wrote the file chose it."""
    section = """[mcp.weather]
url = "http://10.0.0.7:8000/mcp"
headers = { Authorization = "Bearer ${WEATHER_TOKEN}", X-Team = "reports" }
seconds = 5
effects = { get_forecast = "read" }"""
    (server,) = loaded(tmp_path, section).mcp
    assert server.url == "http://10.0.0.7:8000/mcp"
    assert server.headers == {"Authorization": "Bearer ${WEATHER_TOKEN}", "X-Team": "reports"}
    assert (server.seconds, server.effects) == (5, {"get_forecast": "read"})


@pytest.mark.parametrize(
    ("section", "told"),
    [
        ("", "mcp.weather: it needs either `command` or `url`"),
        ('command = ["a"]\nurl = "http://x/mcp"', "mcp.weather: it needs either `command` or `url`"),
        ('command = "python server.py"', 'mcp.weather.command: write it as a list, such as ["python", "server.py"]'),
        ("command = []", "mcp.weather.command: "),
        ('url = "ftp://x/mcp"', "mcp.weather: `url` has to begin with http:// or https://, not `ftp://x/mcp`"),
        ('url = "http:///mcp"', "mcp.weather: `url` has to begin with http:// or https://"),
        ('url = "https://me:you@x/mcp"', "mcp.weather: `url` holds a user or a password; send them as a header"),
        ('url = "http://x/mcp"\nenv = { A = "b" }', "mcp.weather: `env` is for a `command`; a `url` takes `headers`"),
        ('command = ["a"]\nheaders = { A = "b" }', "mcp.weather: `headers` are for a `url`; a `command` takes `env`"),
        ('command = ["a"]\nseconds = 0', "mcp.weather.seconds: "),
        ('command = ["a"]\nsecond = 3', "mcp.weather.second: there is no such key. Did you mean `seconds` or"),
        ('command = ["a"]\neffects = { go = "keyed" }', "mcp.weather.effects.go: "),
    ],
)
def test_each_mistake_is_one_line(tmp_path: Path, section: str, told: str) -> None:
    """File, key, what is wrong."""
    with pytest.raises(TeamError) as caught:
        loaded(tmp_path, f"[mcp.weather]\n{section}")
    assert str(caught.value).startswith(f"{tmp_path / 'team.toml'}: {told}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("section", "where"),
    [
        ('command = ["a"]\nenv = { API_KEY = "hunter2" }', "`env.API_KEY` holds a secret"),
        ('command = ["a"]\nenv = { dbPassword_PASSWORD = "hunter2" }', "`env.dbPassword_PASSWORD` holds a secret"),
        ('url = "http://x/mcp"\nheaders = { Authorization = "Basic hunter2" }', "`headers.Authorization` holds a"),
        ('url = "http://x/mcp"\nheaders = { X-Api-Key = "hunter2" }', "`headers.X-Api-Key` holds a secret"),
        (f'command = ["a"]\nenv = {{ SETTING = "ghp_{"a1" * 18}" }}', "`env.SETTING` holds a secret"),
        (f'command = ["a", "--with", "ghp_{"a1" * 18}"]', "it holds a secret"),
        ('url = "http://x/mcp?api_key=a1b2c3d4e5f6g7h8"', "it holds a secret"),
    ],
)
def test_a_secret_in_clear_text_is_refused(tmp_path: Path, section: str, where: str) -> None:
    """By the name of the key or by the look of the value; the message does not repeat it."""
    with pytest.raises(TeamError) as caught:
        loaded(tmp_path, f"[mcp.weather]\n{section}")
    assert f"mcp.weather: {where}" in str(caught.value)
    assert "name a variable of the workers" in str(caught.value)
    for secret in ("hunter2", "a1a1", "a1b2"):
        assert secret not in str(caught.value)


@pytest.mark.parametrize("text", ['TOKEN_LIMIT = "100"', 'PRIMARY_KEYS = "id"', 'API_KEY = ""', 'KEYBOARD = "de"'])
def test_what_only_sounds_like_a_secret_is_taken(tmp_path: Path, text: str) -> None:
    """A word inside a name is none."""
    assert loaded(tmp_path, f'[mcp.weather]\ncommand = ["a"]\nenv = {{ {text} }}').mcp[0].env


@pytest.mark.parametrize(
    ("tool", "told"),
    [
        (
            "mcp:wether/x",
            "`mcp:wether/x`: there is no server `wether`. Describe it as `[mcp.wether]`. Did you mean `weat",
        ),
        ("mcp:weather", "`mcp:weather`: this names no tool of a server. Write it as `mcp:SERVER/TOOL`"),
        ("mcp:/x", "`mcp:/x`: this names no tool of a server."),
        ("mcp:weather/", "`mcp:weather/`: this names no tool of a server."),
    ],
)
def test_a_tool_of_a_server_that_there_is_not(tmp_path: Path, tool: str, told: str) -> None:
    """It is refused when the file is read, without starting anything."""
    with pytest.raises(TeamError) as caught:
        loaded(tmp_path, '[mcp.weather]\ncommand = ["a"]', AGENT.replace("mcp:weather/get_forecast", tool))
    assert str(caught.value).startswith(f"{tmp_path / 'team.toml'}: agents.x.tools: {told}")


def test_five_tools_are_the_most_wherever_they_come_from(tmp_path: Path) -> None:
    """The error names the team, the agent and the tools."""
    tools = [f"mcp:weather/t{number}" for number in range(5)]
    agent = f'[agents.x]\ninstructions_text = "Work."\ntools = {["calculator", *tools]}'
    with pytest.raises(TeamError, match=r"agent `x` of team `t` has 6 tools \(calculator, mcp:weather/t0, .*5 are the"):
        loaded(tmp_path, '[mcp.weather]\ncommand = ["a"]', agent)


def test_servers_with_the_same_way_are_one() -> None:
    """How long a call may take and what was offered make no other server; another variable does."""
    server = McpServer(name="a", folder="/f", command=("x",), env={"A": "1"})
    assert server.way() == server.model_copy(update={"seconds": 1.0, "effects": {"t": "read"}}).way()
    assert server.way() != server.model_copy(update={"env": {"A": "2"}}).way()
