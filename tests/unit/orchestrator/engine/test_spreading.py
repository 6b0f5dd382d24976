"""A mapped subtask becomes one child an item, in batches, and joins their findings."""

from typing import Any

import pytest

from orchestrator.domain.finding import Ending, Finding
from orchestrator.domain.plan import MOST_ITEMS, Over
from orchestrator.domain.subtask import Edge, Status
from orchestrator.engine import spreading

GIVEN = Over(items=("x", {"title": "Two"}, 3))
FOUND = Over(subtask="match", list="questions")


def test_items_come_from_the_plan_or_from_a_finding(rows: Any) -> None:
    """A list given in the plan, or `data[list]` of the predecessor."""
    source = Finding(status="done", ending=Ending.ANSWER, data={"questions": [1, 2]})
    assert spreading.items(rows("g", kind="group", over=GIVEN), None) == ["x", {"title": "Two"}, 3]
    assert spreading.items(rows("h", kind="group", over=FOUND), source) == [1, 2]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({}, "the finding of `match` has no list `questions`"),
        ({"questions": "abc"}, "the finding of `match` has no list `questions`"),
        ({"questions": list(range(MOST_ITEMS + 1))}, "`questions` of `match` has 10001 items; 10000 are the most"),
    ],
)
def test_what_is_no_list_is_said(rows: Any, data: dict[str, Any], said: str) -> None:
    """No list, or too long a one, is a sentence for people."""
    source = Finding(status="done", ending=Ending.ANSWER, data=data)
    with pytest.raises(ValueError, match=said):
        spreading.items(rows("g", kind="group", over=FOUND), source)


def test_batches_have_computed_ids(rows: Any) -> None:
    """Children are named by their place, so that adding a batch twice adds nothing."""
    group = rows("g", kind="group", over=GIVEN)
    add = spreading.batch(group, ["x", {"title": "Two"}, 3], 1)
    assert [(one.id, one.spec.item, one.spec.title, one.spec.kind) for one in add.subtasks] == [
        ("r1/g[2]", {"title": "Two"}, "G: Two", "specialist"),
        ("r1/g[3]", 3, "G: item 3", "specialist"),
    ]
    assert add.edges[0] == Edge(from_id="r1/g[2]", to_id="r1/g", needs="any")


def test_a_batch_is_bounded(rows: Any) -> None:
    """At most 500 children in one transaction."""
    add = spreading.batch(rows("g", kind="group", over=GIVEN), list(range(1200)), 500)
    assert (len(add.subtasks), add.subtasks[0].key, add.subtasks[-1].key) == (500, "g[501]", "g[1000]")


@pytest.mark.parametrize(
    ("statuses", "joined"),
    [(("done", "done"), "done"), (("done", "failed"), "partial"), (("failed", "failed"), "failed"), ((), "done")],
)
def test_joining(rows: Any, statuses: tuple[Any, ...], joined: str) -> None:
    """All done: done; some usable: partial; none: failed; no items at all: done."""
    group = rows("g", kind="group", over=GIVEN)
    children = [rows(f"g[{n}]", status=Status(one), item=n) for n, one in enumerate(statuses)]
    findings = {
        child.id: Finding(status=one, ending=Ending.ANSWER, text=str(n), evidence=("E1.1",))
        for n, (child, one) in enumerate(zip(children, statuses, strict=True))
    }
    finding = spreading.joined(group, children, findings)
    assert finding.status == joined
    assert [row["item"] for row in finding.data["items"]] == list(range(len(statuses)))
    assert finding.evidence == (("E1.1",) if statuses else ())
