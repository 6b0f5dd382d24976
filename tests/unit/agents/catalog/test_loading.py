"""Reading team files: a good one becomes a team, every mistake is one line with the file and the key."""

from collections.abc import Callable
from pathlib import Path

import pytest

from agents.catalog import Team, load_team, shipped_teams
from agents.catalog.loading import command_goal
from agents.prompts import role_prompt
from orchestrator.domain.run import TeamRules
from orchestrator.errors import TeamError

GOOD = """
name = "survey"
title = "Survey"
description = "Asks around."
priority = 3
on_cancel = "compensate"

[command]
inputs = ["left", "right"]
goal = "Compare {left} with {right}, {{as it is}}."

[planner]
instructions = "planner.md"
playbook = "shop.playbook:plan"

[agents.reader]
about = "Reads one table."
instructions_text = "Read it."
tools = ["tables.profile", "clock"]
model = "gpt-5"
steps = 4
seconds = 60
temperature = 0
max_output = 512

[agents.writer]
instructions_text = "Write it."

[reviewer]
instructions_text = "Be strict."

[result]
draft = "shop.draft:draft"
fields = ["stock", "orders"]

[withhold]
sets = ["secrets"]
"""
Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a team file with a planner's instructions beside it."""

    def written(text: str) -> Path:
        (tmp_path / "planner.md").write_text("Plan little.\n", "utf-8")
        path = tmp_path / "team.toml"
        path.write_text(text, "utf-8")
        return path

    return written


def team(write: Write) -> Team:
    """The good team."""
    return load_team(str(write(GOOD)))


def line(path: Path) -> str:
    """The one line that a bad team file gets."""
    with pytest.raises(TeamError) as caught:
        load_team(str(path))
    told = str(caught.value)
    assert "\n" not in told
    assert told.startswith(str(path.parent))
    return told


def test_a_good_file_becomes_a_team(write: Write) -> None:
    """Everything that it says, and the rules that the engine needs."""
    loaded = team(write)
    assert (loaded.name, loaded.title, loaded.description) == ("survey", "Survey", "Asks around.")
    assert [agent.name for agent in loaded.agents()] == ["planner", "reader", "writer", "composer", "reviewer"]
    assert loaded.draft == "shop.draft:draft"
    assert loaded.rules() == TeamRules(
        team="survey",
        specialists=("reader", "writer"),
        withhold=("secrets",),
        priority=3,
        on_cancel="compensate",
        fields=("stock", "orders"),
    )


def test_an_agent_is_as_its_section_says(write: Write) -> None:
    """Tools, model and limits; instructions as text, from a file or from the team file itself."""
    loaded = team(write)
    reader = loaded.agent("reader")
    assert reader is not None
    assert (reader.kind, reader.about, reader.instructions) == ("specialist", "Reads one table.", "Read it.")
    assert (reader.tools, reader.model, reader.steps, reader.seconds) == (("tables.profile", "clock"), "gpt-5", 4, 60)
    assert (reader.temperature, reader.max_output) == (0, 512)
    assert (loaded.planner.instructions, loaded.planner.playbook) == ("Plan little.", "shop.playbook:plan")
    assert loaded.agent("nobody") is None


def test_what_is_left_out_has_a_default(write: Write) -> None:
    """A composer nobody describes is the one that ships; limits are those of the design."""
    loaded = team(write)
    assert loaded.composer.role == role_prompt("composer")
    assert (loaded.composer.instructions, loaded.composer.tools, loaded.composer.playbook) == ("", (), None)
    writer = loaded.agent("writer")
    assert writer is not None
    assert (writer.steps, writer.seconds, writer.temperature, writer.max_output) == (10, 300, 0.2, 2048)


def test_the_commands_goal_takes_the_file_names(write: Write) -> None:
    """Braces that are meant are kept."""
    command = team(write).command
    assert command is not None
    goal = command_goal(command, {"left": "ledger.csv", "right": "bank.csv"})
    assert goal == "Compare ledger.csv with bank.csv, {as it is}."


def test_a_folder_stands_for_its_team_file(write: Write) -> None:
    """A path to the folder is enough."""
    path = write(GOOD)
    assert load_team(str(path.parent)) == load_team(str(path))


def test_the_teams_that_ship_load() -> None:
    """By name; each has a title and a sentence about what it does."""
    summaries = shipped_teams()
    assert "reconcile" in [summary.name for summary in summaries]
    for summary in summaries:
        assert summary.title
        assert summary.description
        assert load_team(summary.name).name == summary.name


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("tools = [", "tolls = ["), "agents.reader.tolls: there is no such key. Did you mean `tools`?"),
        (("[planner]", "[planer]"), "team.toml: planer: there is no such key. Did you mean `planner`?"),
        (("draft =", "drafts ="), "result.drafts: there is no such key. Did you mean `draft`?"),
        (('"compensate"', '"undo"'), "on_cancel: input should be 'keep' or 'compensate', not `undo`"),
        (('name = "survey"', ""), 'name: it is missing. Write `name = "reconcile"` at the top.'),
        (('name = "survey"', 'name = "my survey"'), "name: string should match pattern"),
        (("steps = 4", 'steps = "many"'), "agents.reader.steps: input should be a valid integer"),
        (("steps = 4", "steps = 0"), "agents.reader.steps: input should be greater than or equal to 1, not `0`"),
        (("seconds = 60", "seconds = nan"), "agents.reader.seconds: input should be a finite number"),
        (("steps = 4", 'fallbacks = "gpt-4o"'), 'agents.reader.fallbacks: write a list, as `["a", "b"]`, not `gpt-4o`'),
        (("steps = 4", 'fallbacks = ["b", " "]'), "agents.reader.fallbacks.1: string should have at least 1 character"),
        (("[result]", "[tools]\nclock = 3\n[result]"), "tools.clock: write a table, as `[name]` with lines of its own"),
        (("steps = 4", "steps = "), "it is no valid TOML: Invalid value (at line 21, column 9)"),
        (("[agents.writer]", "[agents.reader]"), "it is no valid TOML"),
        (("[agents.writer]", '[agents."my writer"]'), "agents.my writer: a name begins with a letter"),
        (("[agents.writer]", "[agents.Reader]"), "agents.Reader: `Reader` and `reader` differ only in capitals"),
        (("[agents.writer]", "[agents.composer]"), "agents.composer: `composer` is the name of a role"),
        (('"Write it."', '" "'), "agents.writer.instructions_text: the instructions are empty"),
        (('instructions_text = "Write it."', ""), "agents.writer.instructions_text: the instructions are empty"),
        (('"planner.md"', '"plans.md"'), "planner.instructions: `plans.md` cannot be read: No such file or directory"),
        (('"planner.md"', '"."'), "planner.instructions: `"),
        (('instructions = "planner.md"', 'instructions = "planner.md"\ninstructions_text = "x"'), "are both given"),
        (("{right}", "{rigth}"), "command.goal: `{rigth}` is none of the inputs. Did you mean `right`?"),
        (("{right}", "{}"), "command.goal: `{}` is none of the inputs"),
        (("{right}", "{right"), "command.goal: the template cannot be read"),
        (('inputs = ["left", "right"]', "inputs = []"), "command.inputs: "),
        (('["secrets"]', '["secret"]'), "withhold.sets: `secret` is no pattern set. Did you mean `secrets`?"),
        (('["secrets"]', '["x"]'), "withhold.sets: `x` is no pattern set. Pattern sets: "),
        (('"clock"]', '"tables.profile"]'), "agents.reader.tools: `tables.profile` is listed twice"),
    ],
)
def test_a_mistake_is_one_line_with_its_key(write: Write, change: tuple[str, str], told: str) -> None:
    """What is wrong, where, and what was probably meant."""
    assert change[0] in GOOD
    assert told in line(write(GOOD.replace(change[0], change[1], 1)))


def test_the_sixth_tool_is_an_error(write: Write) -> None:
    """It names the file, the agent and the tools."""
    tools = ["tables.profile", "clock", "calculator", "escalate", "evidence.read", "reconcile.match"]
    listed = ", ".join(f'"{tool}"' for tool in tools)
    told = line(write(GOOD.replace('["tables.profile", "clock"]', f"[{listed}]")))
    assert "team.toml: agents.reader.tools: agent `reader` of team `survey` has 6 tools" in told
    assert f"({', '.join(tools)}); 5 are the most. Give some of them to another agent." in told
    load_team(str(write(GOOD.replace('["tables.profile", "clock"]', f"[{listed.rsplit(',', 1)[0]}]"))))


def test_a_team_without_agents_is_an_error(write: Write) -> None:
    """A planner alone can give work to nobody."""
    assert "agents: it is missing. Describe at least one agent" in line(write('name = "empty"'))
    assert "agents: " in line(write('name = "empty"\n[agents]'))


@pytest.mark.parametrize("content", [b"\xff\xfe\x00n", b"\x00\x01\x02"])
def test_rubbish_is_an_error(tmp_path: Path, content: bytes) -> None:
    """A file that is no text, or no TOML."""
    path = tmp_path / "team.toml"
    path.write_bytes(content)
    line(path)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("reconsile", "`reconsile`: there is no such team. Did you mean `reconcile`? Or give the path of a team.toml."),
        ("no/such/team.toml", "no/such/team.toml: there is no such team file. Give the path of a team.toml."),
        ("team.toml", "there is no such team file"),
        ("xyz", "Teams that ship: "),
    ],
)
def test_a_team_that_does_not_exist_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, told: str
) -> None:
    """With the names that come near."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TeamError) as caught:
        load_team(name)
    assert told in str(caught.value)


def test_the_form_of_an_agents_findings_is_read(write: Write) -> None:
    """As the JSON Schema that it is."""
    team = load_team(str(write(GOOD + '\n[agents.writer.output]\ntype = "object"\nrequired = ["rows"]\n')))
    writer = team.agent("writer")
    assert writer is not None
    assert writer.output == {"type": "object", "required": ["rows"]}


@pytest.mark.parametrize(
    ("section", "said"),
    [
        (
            '[agents.writer.output]\ntype = "array"\n',
            "agents.writer.output: data is an object, so its schema must have",
        ),
        ('[agents.writer.output]\nrequired = "rows"\n', "agents.writer.output: it is no JSON Schema: 'rows' is not of"),
        ("[composer.output]\n", "composer.output: only a specialist's findings can be given a form"),
    ],
)
def test_a_form_that_is_none_is_told_with_its_place(write: Write, section: str, said: str) -> None:
    """When the team is loaded, not when its first finding comes."""
    with pytest.raises(TeamError) as caught:
        load_team(str(write(GOOD + "\n" + section)))
    assert said in str(caught.value)
