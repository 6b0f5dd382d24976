"""Spreading: a mapped subtask becomes one child an item, in batches, and joins their findings when they have ended."""

from collections.abc import Iterable, Sequence
from typing import Any

from orchestrator.domain.changes import AddSubtasks
from orchestrator.domain.finding import Ending, Finding
from orchestrator.domain.plan import MOST_ITEMS
from orchestrator.domain.subtask import Edge, NewSubtask, Subtask, subtask_id

BATCH = 500
"""Children added in one transaction."""
_TITLE = 60


def items(group: Subtask, source: Finding | None) -> list[Any]:
    """The items a group is spread over. Raises ValueError with a sentence when there is no such list."""
    over = group.spec.over
    if over is None:
        message = f"{group.key} is mapped over nothing"
        raise ValueError(message)
    if over.items is not None:
        return list(over.items)
    found = source.data.get(over.list or "") if source else None
    if not isinstance(found, list):
        message = f"the finding of `{over.subtask}` has no list `{over.list}`"
        raise ValueError(message)
    if len(found) > MOST_ITEMS:
        message = f"`{over.list}` of `{over.subtask}` has {len(found)} items; {MOST_ITEMS} are the most"
        raise ValueError(message)
    return list(found)


def batch(group: Subtask, all_items: Sequence[Any], start: int) -> AddSubtasks:
    """The change that adds the children for the items from `start` on, at most `BATCH` of them."""
    children = [_child(group, n, all_items[n]) for n in range(start, min(start + BATCH, len(all_items)))]
    edges = tuple(Edge(from_id=child.id, to_id=group.id, needs="any") for child in children)
    return AddSubtasks(group.run_id, tuple(children), edges)


def _child(group: Subtask, n: int, item: Any) -> NewSubtask:
    key = f"{group.key}[{n + 1}]"
    spec = group.spec.model_copy(
        update={"kind": "specialist", "over": None, "item": item, "title": f"{group.spec.title}: {_named(item, n)}"}
    )
    return NewSubtask(
        id=subtask_id(group.run_id, key),
        run_id=group.run_id,
        key=key,
        version=group.version,
        spec=spec,
        parent_id=group.id,
        priority=group.priority,
    )


def _named(item: Any, n: int) -> str:
    if isinstance(item, dict):
        for name in ("title", "name", "id"):
            if isinstance(item.get(name), str):
                return item[name][:_TITLE]
    return item[:_TITLE] if isinstance(item, str) else f"item {n + 1}"


def joined(group: Subtask, children: Iterable[Subtask], findings: dict[str, Finding]) -> Finding:
    """The finding of a group: what each child found, in the order of the items."""
    rows = [_row(child, findings.get(child.id)) for child in children]
    usable = sum(1 for row in rows if row["status"] in {"done", "partial"})
    complete = sum(1 for row in rows if row["status"] == "done")
    status = "done" if complete == len(rows) else "partial" if usable else "failed"
    evidence = dict.fromkeys(ref for row in rows for ref in row["evidence"])
    return Finding(
        status=status,
        ending=Ending.ANSWER,
        text=_said(group, rows, status),
        data={"items": rows},
        evidence=tuple(evidence),
    )


def _said(group: Subtask, rows: Sequence[dict[str, Any]], status: str) -> str:
    """In words without figures: a figure would need a source, and the items stand in the data."""
    if status == "done":
        return f"{group.spec.title}: every item is done."
    missing = ", ".join(f"`{row['key']}`" for row in rows if row["status"] != "done")
    return f"{group.spec.title}: some items are not done: {missing}."


def _row(child: Subtask, finding: Finding | None) -> dict[str, Any]:
    row: dict[str, Any] = {"key": child.key, "item": child.spec.item}
    if finding is None:
        return {**row, "status": str(child.status), "text": "", "data": {}, "evidence": []}
    return {
        **row,
        "status": finding.status,
        "text": finding.text,
        "data": finding.data,
        "evidence": list(finding.evidence),
        "result": finding.result,
    }
