"""Files of cases: what is read from them, and the one line that says what is wrong with them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from agents.evals.loading import load_cases, read_cases, shipped_cases
from orchestrator.domain.goal import Limits
from orchestrator.errors import InputError

Write = Callable[..., Path]
GOOD = """
team: shop
limits: {steps: 9, tokens: 500}
people: [{answer: "yes"}]
cases:
  - name: first
    goal: How many chairs?
    expect:
      calls: [look, {tool: buy, arguments: {pieces: 2}, ok: true}]
      answer: {contains: chairs, figures: [12, "1,250.50"]}
  - name: second
    tools: [calculator]
    goal: How much?
    inputs: {ledger: data/ledger.csv}
    limits: {steps: 4}
    people: [{about: x, answer: "no"}]
    expect: {ending: waiting, tickets: [{question: Which one}]}
"""


def test_a_whole_file(write: Write) -> None:
    """Cases take from the file what they do not say themselves; short forms are made whole."""
    ledger = write("a\n", "data/ledger.csv")
    first, second = read_cases(path := write(GOOD))
    assert (first.team, first.tools, first.limits) == ("shop", (), Limits(steps=9, tokens=500))
    assert [call.tool for call in first.expect.calls] == ["look", "buy"]
    assert first.expect.answer.contains == ("chairs",)
    assert first.expect.answer.figures == ("12", "1,250.50")
    assert first.source == f"{path}:6"
    assert (second.team, second.tools, second.limits) == (None, ("calculator",), Limits(steps=4, tokens=500))
    assert second.inputs == {"ledger": ledger}
    assert (first.people[0].answer, second.people[0].answer) == ("yes", "no")
    assert second.expect.tickets[0].question.contains == ("Which one",)


def test_a_team_file_beside_the_cases(write: Write) -> None:
    """A path is taken from where the cases stand; what is not there is a team's name."""
    team = write('name = "own"\n', "own.toml")
    write("team: own.toml\ncases: [{name: a, goal: b}]")
    assert read_cases(team.with_name("cases.yaml"))[0].team == str(team)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("cases: [{name: a, goal: b}]", 1, "case `a` has no team"),
        ("team: x\ncases:\n  - name: a\n    goal: b\n    expects: {}\n", 5, "case 1: expects: there is no such key"),
        ("team: x\ncases:\n  - name: a\n    goal: b\n    expect: {ending: won}\n", 5, "case 1: expect.ending: Input"),
        ("team: x\ncases:\n  - goal: b\n", 3, "case 1: name: it is missing"),
        ("team: x\ntools: [clock]\ncases: [{name: a, goal: b}]", None, "the file: give either `team` or `tools`"),
        ("tools: [a, b, c, d, e, f]\ncases: [{name: a, goal: b}]", 1, "tools: 5 at most, not 6"),
        ("team: x\ncases: [{name: a, goal: ''}]", 2, "case 1: goal: it is empty"),
        ("team: x\ncases: much", 2, "cases: write a list"),
        ("team: x\ncases: [much]", 2, "case 1: write a mapping"),
        ("team: x\ncases:\n- name: a\n  gaol: b\n", 4, "case 1: gaol: there is no such key (and 1 more)"),
        ("team: x\ncases: []", 2, "cases: it needs 1 at least"),
        ("team: x\nteam: y\n", 2, "this is no YAML: the key `team` is given twice"),
        ("team: [x\n", 2, "this is no YAML:"),
        ("team: \x00\n", None, "this is no YAML: unacceptable character"),
        ("", None, "the file holds no cases"),
        ("- a\n", None, "the file holds no cases"),
        (
            "team: x\ncases:\n- name: a\n  goal: b\n  expect:\n    answer:\n      matches: '('\n",
            7,
            "case 1: expect.answer.matches: `(` is no regular expression",
        ),
        (
            "team: x\ncases:\n- name: a\n  goal: b\n  expect: {answer: {figures: [much]}}\n",
            5,
            "case 1: expect.answer.figures: `much` is no figure",
        ),
        (
            "team: x\ncases:\n- name: a\n  goal: b\n  inputs:\n    ledger: no.csv\n",
            6,
            "case `a`: there is no file `no.csv`",
        ),
        (
            "team: x\ncases:\n- name: a\n  goal: b\n  inputs:\n    ledger: ~no-such-user/a.csv\n",
            6,
            "case `a`: there is no file `~no-such-user/a.csv`",
        ),
    ],
)
def test_what_is_wrong_with_it(write: Write, text: str, line: int | None, said: str) -> None:
    """One line: the file, its line, the place in the case, what is wrong."""
    path = write(text)
    with pytest.raises(InputError) as caught:
        read_cases(path)
    assert str(caught.value).startswith(f"{path}:{line}: {said}" if line else f"{path}: {said}")
    assert "\n" not in str(caught.value)


def test_more_than_one_fault(write: Write) -> None:
    """The first is told, the others are counted."""
    with pytest.raises(InputError, match=r"case 1: name: it is missing \(and 1 more\)"):
        read_cases(write("team: x\ncases: [{}]"))


def test_names_differ(write: Write) -> None:
    """The same name twice is refused, also in two files; both places are told."""
    text = "team: x\ncases: [{name: a, goal: b}]"
    one, two = write(text, "one.yaml"), write(text, "two.yaml")
    with pytest.raises(InputError) as caught:
        load_cases([str(one), str(two)])
    assert str(caught.value).startswith(f"{two}:2: two cases are called `a`; the other stands at {one}:2.")


def test_a_folder(write: Write) -> None:
    """All files of cases in it, by name; an empty one is refused."""
    folder = write("team: x\ncases: [{name: b, goal: b}]", "all/two.yaml").parent
    write("team: x\ncases: [{name: a, goal: a}]", "all/one.yml")
    write("no cases", "all/readme.txt")
    assert [case.name for case in load_cases([str(folder)])] == ["a", "b"]
    empty = write("", "empty/readme.txt").parent
    with pytest.raises(InputError, match="no cases stand in this folder"):
        load_cases([str(empty)])


def test_no_such_file_or_name(write: Write) -> None:
    """A path that is not there, binary rubbish, and a name that nothing ships under."""
    with pytest.raises(InputError, match="the cases cannot be read: No such file"):
        load_cases(["nowhere/cases.yaml"])
    with pytest.raises(InputError, match=r"~no-such-user/cases\.yaml: the cases cannot be read: No such file"):
        load_cases(["~no-such-user/cases.yaml"])
    rubbish = write("")
    rubbish.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="no UTF-8 text"):
        load_cases([str(rubbish)])
    with pytest.raises(InputError, match=r"`calculater`: there are no such cases\. Did you mean `calculator`"):
        load_cases(["calculater"])


def test_one_of_several_tools() -> None:
    """A tool whose cases share a file with others' is named like any other."""
    assert {case.name.split()[0] for case in load_cases(["web.fetch", "files.read"])} == {"web.fetch", "files.read"}
    assert len(load_cases(["arxiv.search"])) == 3


@pytest.mark.parametrize("name", sorted(shipped_cases()))
def test_what_ships_can_be_read(name: str) -> None:
    """Every file of cases that ships is a good one."""
    assert len(load_cases([name])) >= 3


def test_all_that_ships_goes_together() -> None:
    """No two shipped cases have the same name."""
    assert load_cases(sorted(shipped_cases()))
