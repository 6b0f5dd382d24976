"""Reading scripts, and saying what is wrong with them."""

from pathlib import Path

import pytest

from agents.fake_model.loading import load_script, parse_jsonl, parse_yaml
from orchestrator.errors import InputError

WHOLE = """
models: [fake, other]
key: sk-test
latency_ms: 5
rules:
  - when: {system: planner, last_role: user}
    reply:
      thought: I plan.
      calls:
        - tool: plan.make
          arguments: {date: 2024-01-31, at: 12:30, yes: no, n: 3, x: 1.5, empty: ~, amount: "{{ result.total }}"}
  - when: {last: {matches: "total (?P<total>[0-9]+)", lacks: error}}
    times: 2
    steps:
      - {text: "{{ groups.total }}"}
      - {fault: {status: 429, retry_after: 1}}
      - {fault: timeout}
"""


def test_reads_every_part() -> None:
    """Conditions, replies, steps and faults are there; dates, times and `no` are texts."""
    script = parse_yaml(WHOLE)
    first, second = script.rules
    assert (script.models, script.key, script.latency_ms) == (("fake", "other"), "sk-test", 5)
    assert first.when.system is not None
    assert first.when.system.contains == ("planner",)
    assert first.reply is not None
    assert first.reply.calls[0].arguments == {
        "date": "2024-01-31",
        "at": "12:30",
        "yes": "no",
        "n": 3,
        "x": 1.5,
        "empty": None,
        "amount": "{{ result.total }}",
    }
    assert second.times == 2
    assert [step.fault.kind for step in second.steps if step.fault] == ["status", "timeout"]


def test_rules_alone_are_a_script() -> None:
    """A list is the list of rules."""
    assert len(parse_yaml("- reply: {text: a}\n- reply: {text: b}").rules) == 2


def test_reads_json_lines() -> None:
    """One rule a line, empty lines between them."""
    script = parse_jsonl('{"reply": {"text": "a"}}\n\n{"when": {"request": 2}, "reply": {"text": "b"}}\n')
    assert [rule.when.request for rule in script.rules] == [None, 2]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "s.yaml: the script holds no rules. Begin with `rules:`."),
        ("just words", "s.yaml: the script holds no rules. Begin with `rules:`."),
        ("rules: []", "s.yaml:1: rules: a script needs at least one rule"),
        ("rule:\n  - reply: {text: a}", "s.yaml: rules: Field required (and 1 more)"),
        ("rules:\n  - reply: {text: a}\n  - rply: {text: b}", "s.yaml:3: rule 2: rply: there is no such key"),
        ("rules:\n  - when: {system: x}", "s.yaml:2: rule 1: a rule has either `reply` or `steps`"),
        (
            "rules:\n  - reply: {text: a}\n    steps: [{text: b}]",
            "s.yaml:2: rule 1: a rule has either `reply` or `steps`",
        ),
        (
            "rules:\n  - reply:\n      calls:\n        - arguments: {}\n",
            "s.yaml:4: rule 1: reply.calls.0.tool: Field required",
        ),
        ("rules:\n  - reply: {latency_ms: 5}", "s.yaml:2: rule 1: reply: a reply needs text, calls, body or fault"),
        (
            "rules:\n  - reply: {body: {}, text: x}",
            "s.yaml:2: rule 1: reply: `body` stands alone: leave out text, thought and calls",
        ),
        (
            "rules:\n  - reply:\n      fault: {retry_after: 1}",
            "s.yaml:3: rule 1: reply.fault: a fault is a word (timeout, reset, cut, drip, garbage, html, empty) "
            "or has a status",
        ),
        (
            "rules:\n  - when:\n      last: {matches: '(' }\n    reply: {text: a}",
            "s.yaml:3: rule 1: when.last.matches: this is no regular expression: "
            "missing ), unterminated subpattern at position 0",
        ),
        (
            "rules:\n  - reply:\n      text: '{{ result.'",
            "s.yaml:3: rule 1: reply.text: the template `{{ result.` cannot be read: expected name or number",
        ),
        (
            "rules:\n  - reply: {text: a}\n    reply: {text: b}",
            "s.yaml:3: this is no YAML: the key `reply` is given twice",
        ),
        ("rules:\n  - reply: {text: a", "s.yaml:2: this is no YAML: expected ',' or '}', but got '<stream end>'"),
        ("rules: &a [*a]", "s.yaml:1: this is no YAML: this part holds itself"),
        ("a: 1\n--- \nb: 2", "s.yaml:2: this is no YAML: but found another document"),
        (
            "rules: !!python/object:os.system {}",
            "s.yaml:1: this is no YAML: could not determine a constructor for the tag "
            "'tag:yaml.org,2002:python/object:os.system'",
        ),
        ("[" * 5_000, "s.yaml: this is no YAML that can be read: it is nested too deep"),
        ("x: \x00", "s.yaml: this is no YAML: unacceptable character #x0000: special characters are not allowed"),
    ],
)
def test_says_on_which_line_what_is_wrong(text: str, line: str) -> None:
    """One line: the file, the line in it, the rule as people count, the field, and what is wrong."""
    with pytest.raises(InputError) as caught:
        parse_yaml(text, "s.yaml")
    assert str(caught.value) == line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"reply": {"text": "a"}}\n{"reply": ', "s.jsonl:2: this line is no JSON: unexpected end of data"),
        ('\n\n{"reply": {"txt": "a"}}', "s.jsonl:3: rule 1: reply.txt: there is no such key"),
        ("7", "s.jsonl:1: rule 1: Input should be a valid dictionary"),
    ],
)
def test_says_which_line_of_json_is_wrong(text: str, line: str) -> None:
    """The line's number counts empty lines too."""
    with pytest.raises(InputError) as caught:
        parse_jsonl(text, "s.jsonl")
    assert str(caught.value).startswith(line)


def test_reads_files_by_their_ending(tmp_path: Path) -> None:
    """`.jsonl` is JSON lines, everything else YAML."""
    yaml, lines = tmp_path / "a.yaml", tmp_path / "b.jsonl"
    yaml.write_text("rules: [{reply: {text: 晴}}]", "utf-8")
    lines.write_text('\ufeff{"reply": {"text": "晴"}}', "utf-8")
    assert load_script(yaml) == load_script(lines)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    """A missing file, a folder and binary rubbish are one line each."""
    rubbish = tmp_path / "rubbish.yaml"
    rubbish.write_bytes(b"\xff\xfe\x00")
    for path, what in (
        (tmp_path / "none.yaml", "the script cannot be read: No such file or directory"),
        (tmp_path, "the script cannot be read: Is a directory"),
        (rubbish, "the script is no UTF-8 text. Save it as UTF-8."),
    ):
        with pytest.raises(InputError) as caught:
            load_script(path)
        assert str(caught.value) == f"{path}: {what}"
