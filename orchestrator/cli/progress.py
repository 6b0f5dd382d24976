"""Progress as a tree: the plan, who works on what, tokens and cost."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal

from rich.console import Group
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from orchestrator.domain.budget_words import no_price, price
from orchestrator.domain.counting import counted
from orchestrator.domain.subtask import FINAL, NEVER, Status, Subtask
from orchestrator.engine.services.reading import Progress

_MARKS = {
    Status.BLOCKED: "·",
    Status.READY: "○",
    Status.RUNNING: "▶",
    Status.WAITING: "?",
    Status.DONE: "✓",
    Status.PARTIAL: "◐",
    Status.FAILED: "✗",
    Status.SKIPPED: "−",
    Status.CANCELLED: "−",
}
MOST_CHILDREN = 8
"""Children of a mapped subtask shown one by one; more are counted."""


def render(progress: Progress, now: datetime, doing: Mapping[str, str] | None = None) -> Group:
    """The whole picture of a run; `doing`: what the agents at work said last, by subtask."""
    doing = doing or {}
    tree = Tree(_head(progress, now), guide_style="faint")
    children: dict[str, list[Subtask]] = {}
    for one in progress.subtasks:
        if one.parent_id:
            children.setdefault(one.parent_id, []).append(one)
    for one in progress.subtasks:
        if one.parent_id is None:
            branch = tree.add(_row(one, progress, doing))
            _add_children(branch, children.get(one.id, []), progress, doing)
    return Group(tree, _foot(progress))


def lines(progress: Progress) -> list[str]:
    """One plain line a subtask, for a log: `✓ left  Read the ledger`."""
    return [f"{_MARKS[one.status]} {one.status:<9} {one.key:<14} {one.spec.title}" for one in progress.subtasks]


def _head(progress: Progress, now: datetime) -> Text:
    run = progress.run
    end = run.finished_at or now
    head = Text.assemble((run.id, "strong"), "  ", (progress.state, progress.state))
    head.append(f"  {run.rules.team}  {(end - run.created_at).total_seconds():.0f} s", "faint")
    return head


def _row(one: Subtask, progress: Progress, doing: Mapping[str, str]) -> Table | Text:
    style = str(one.status)
    mark = "" if one.status is Status.RUNNING else f"{_MARKS[one.status]} "
    text = Text.assemble((mark, style), (f"{one.key:<12} ", style), one.spec.title)
    text.append(f"  {one.spec.agent}", "faint")
    if one.step:
        text.append(f" · step {one.step}", "faint")
    if one.status is Status.WAITING:
        text.append(f"  {_waits_for(one, progress)}", "waiting")
    if one.status is Status.SKIPPED and one.skip_because:
        text.append(f"  {one.skip_because[:80]}", "faint")
    if one.status is not Status.RUNNING:
        return text
    if said := doing.get(one.id):
        text.append(f"  {said[:100]}", "italic faint")
    grid = Table.grid(padding=(0, 1))
    grid.add_row(Spinner("dots", style="running"), text)
    return grid


def _waits_for(one: Subtask, progress: Progress) -> str:
    if own := [t.id for t in progress.tickets if t.subtask_id == one.id and t.status == "open"]:
        return f"waits for {', '.join(own)}"
    if one.wake_at == NEVER:  # another subtask has asked about the limit that this one has reached too
        return f"waits for {', '.join(t.id for t in progress.tickets if t.topic == 'limit' and t.status == 'open')}"
    return "tries again later"


def _add_children(branch: Tree, children: Sequence[Subtask], progress: Progress, doing: Mapping[str, str]) -> None:
    if len(children) <= MOST_CHILDREN:
        for child in children:
            branch.add(_row(child, progress, doing))
        return
    counts = Counter(str(child.status) for child in children)
    listed = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    branch.add(Text(f"{len(children)} items: {listed}", "faint"))


def _foot(progress: Progress) -> Text:
    ended = sum(1 for one in progress.subtasks if one.status in FINAL)
    text = Text(f"{ended} of {counted(len(progress.subtasks), 'subtask')} ended", "faint")
    tokens = sum(one.input_tokens + one.output_tokens for one in progress.usage)
    calls = sum(one.calls for one in progress.usage)
    names = ", ".join(one.model for one in progress.usage)
    if calls:
        text.append(f" · {counted(calls, 'call')} of {names} · {counted(tokens, 'token')}{_cost(progress)}", "faint")
    return text


def _cost(progress: Progress) -> str:
    """What is known of it; nothing is not what a model without a price costs."""
    costs = [Decimal(one.cost) for one in progress.usage if one.cost is not None]
    unknown = [one.model for one in progress.usage if one.cost is None]
    tariff = progress.run.goal.limits.tariff
    told = [no_price(unknown, price(tariff) if tariff else "")] if unknown else []
    return "".join(f" · {one}" for one in ([f"${sum(costs, Decimal(0))}"] if costs else []) + told)
