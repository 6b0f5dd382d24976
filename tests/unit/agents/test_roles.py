"""When a reply counts as an answer, and when it goes back with reasons."""

import json
from collections.abc import Mapping

import pytest

from agents.roles import Accepted, Judge, Known, Planning, Rejected, composer, planner, reviewer, specialist

SEEN: Mapping[str, object] = {"E2.1": {"summary": "412 rows", "data": {"rows": 412, "total": "1,204.50"}}}


ROWS = {"type": "object", "required": ["rows"], "properties": {"rows": {"type": "integer"}}}


def judging(
    given: str = "",
    *,
    looked: bool = True,
    must_look: bool = False,
    output: Mapping[str, object] | None = None,
    seen: Mapping[str, object] = SEEN,
) -> Judge:
    """The judge of a specialist that saw 412 rows."""
    known = Known(lambda: frozenset(seen), lambda: frozenset({"E2.1/table.md"}), lambda: seen, given)
    return specialist(known, must_look=lambda: must_look and not looked, output=output)


def said(summary: str, **more: object) -> str:
    """A specialist's answer."""
    return json.dumps({"summary": summary, **more})


@pytest.mark.parametrize(
    "text",
    ["There are 412 rows.", "412 rows [E2.1], 1,204.50 in all [E2.1].", "Both have 412 rows.", "No figure at all."],
)
def test_figures_that_were_observed_count(text: str) -> None:
    """Cited or not, as long as they stand in what was observed."""
    assert isinstance(judging()(said(text), 0), Accepted)


def test_a_figure_that_stands_nowhere_goes_back_once() -> None:
    """With the list of what is wrong; said again, it is left to the reviewer."""
    judge = judging()
    found = judge(said("There are 421 rows."), 0)
    assert isinstance(found, Rejected)
    assert "412" in found.reasons[0]
    assert isinstance(judge(said("There are 421 rows."), 1), Accepted)


def test_figures_of_the_data_need_a_source_too() -> None:
    """Those inside lists and objects as well; once told, they are left to the reviewer."""
    judge = judging("Look at 7 files.")
    assert isinstance(judge(said("All is there.", data={"rows": 412, "files": "7", "ok": True}), 0), Accepted)
    found = judge(said("All is there.", data={"rows": 413, "of": [{"total": "99.5"}]}), 0)
    assert found == Rejected(
        (
            "`data.rows`: 413 stands in nothing that you observed or were given. Find it out, or leave it out.",
            "`data.of[0].total`: 99.5 stands in nothing that you observed or were given. Find it out, or leave it out.",
        )
    )
    assert isinstance(judge(said("All is there.", data={"rows": 413}), 1), Accepted)


def test_who_observed_nothing_has_no_figures_but_those_it_was_given() -> None:
    """An invented figure goes back once, also where no tool was called."""
    judge = judging("Look at 7 files.", seen={})
    assert isinstance(judge(said("There are 7 files."), 0), Accepted)
    assert judge(said("The 7 files have 4,512 rows."), 0) == Rejected(
        ("4,512 stands in nothing that you observed or were given. Find it out, or leave it out.",)
    )


def test_data_has_the_form_that_was_asked_for() -> None:
    """Told as often as it does not fit; prose has none, and whoever says that it failed needs none."""
    judge = judging(output=ROWS)
    assert isinstance(judge(said("412 rows.", data={"rows": 412}), 0), Accepted)
    assert isinstance(judge('{"rows": 412}', 0), Accepted)
    assert isinstance(judge(said("No table.", status="failed"), 0), Accepted)
    for mends in (0, 1, 2):
        assert judge("There are 412 rows.", mends) == Rejected(("`data`: 'rows' is a required property.",))
        assert judge(said("412 rows.", data={"rows": "412"}), mends) == Rejected(
            ("`data.rows`: '412' is not of type 'integer'.",)
        )


def test_figures_of_the_instruction_need_no_source() -> None:
    """What the agent was told it may say."""
    assert isinstance(judging("Look for 900 rows.")(said("There are not 900 rows but 412."), 0), Accepted)


def test_who_has_to_look_must_have_looked() -> None:
    """Sent back once; an agent that says it failed is believed."""
    judge = judging(looked=False, must_look=True)
    assert isinstance(judge(said("It is so."), 0), Rejected)
    assert isinstance(judge(said("It is so."), 1), Accepted)
    assert isinstance(judge(said("I cannot.", status="failed"), 0), Accepted)
    assert isinstance(judging(looked=True, must_look=True)(said("It is so."), 0), Accepted)


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"evidence": ["E9.9"]}, "There is no observation `E9.9` in this run."),
        ({"result": "E9.1"}, "There is no observation `E9.1` in this run."),
        ({"artifacts": ["E2.1/none.md"]}, "There is no file `E2.1/none.md` in this run."),
    ],
)
def test_what_an_answer_rests_on_exists(more: dict[str, object], reason: str) -> None:
    """An invented number is refused however often it is said."""
    for mends in (0, 1):
        assert judging()(said("412 rows", **more), mends) == Rejected((reason,))


def test_prose_is_a_summary_and_other_objects_are_data() -> None:
    """A model that does not keep to the form is understood where it can be."""
    assert judging()("Just words.", 0) == Accepted("Just words.")
    assert judging()('{"rows": 412}', 0) == Accepted('{"rows": 412}', data={"rows": 412})
    assert isinstance(judging()("  ", 0), Rejected)


def test_a_plan_is_held_against_the_team() -> None:
    """The reasons name what does not exist."""
    judge = planner(Planning(frozenset({"reader"}), frozenset({"left"}), {}))
    plan = {"subtasks": [{"key": "a", "agent": "nobody", "title": "A", "instruction": "x", "inputs": ["right"]}]}
    assert judge(json.dumps(plan), 0) == Rejected(
        (
            "Subtask `a` wants agent `nobody`; the team has `reader`.",
            "Subtask `a` wants input `right`; the goal has `left`.",
        )
    )


@pytest.mark.parametrize("text", ["", "no JSON", "[1]", '{"verdict": "maybe"}', '{"verdict": "pass"}' * 2])
def test_a_verdict_is_exactly_one(text: str) -> None:
    """Anything else goes back."""
    assert isinstance(reviewer()(text, 0), Rejected)


def test_a_composed_answer_may_say_that_it_failed() -> None:
    """Its finding has failed then."""
    known = Known(frozenset, frozenset, dict)
    found = composer(known)('{"answer": "It could not be done.", "failed": true}', 0)
    assert isinstance(found, Accepted)
    assert found.status == "failed"
