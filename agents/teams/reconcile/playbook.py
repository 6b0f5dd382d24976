"""The playbook of the team: what each agent does next when no model is configured; decided from what it has seen."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from agents.models.playbook import Action, Seen, View, answer, use
from agents.teams.reconcile.inputs import hints

LOOKS = ("strict", "normal", "loose")


def plan(view: View) -> Action:
    """The plan of every reconciliation; a replan gives up, since the same input would fail the same way."""
    if view.briefing["predecessors"]:
        failed = [one["text"] for one in view.briefing["predecessors"] if one["status"] == "failed"]
        return answer({"answer": "There is no other way to do it: " + " ".join(failed)}, "Trying again would not help.")
    inputs = list(view.briefing["inputs"])
    tables = _two_of(inputs, view)
    if tables:
        left, right = tables
        return answer(
            {"subtasks": [_read("left", left), _read("right", right), _match(tables), _decide(), _settle()]}, _WHY
        )
    given = ", ".join(inputs) or "none"
    if len(inputs) < 2 or view.notices:
        text = f"Nothing was reconciled: two tables are needed, given are: {given}."
        return answer({"answer": text}, "No answer would bring the tables.")
    question = f"Two tables are reconciled; given are: {given}. Which two are meant? Name the one to start from first."
    return answer({"ask": {"question": question}}, "Only the asker knows which two are meant.")


_WHY = "Both tables are read side by side, then matched; what is open is decided by people, then settled."


def _two_of(inputs: Sequence[str], view: View) -> Sequence[str] | None:
    """The tables that are meant: the only two, `left` and `right`, or those that the asker names."""
    if {"left", "right"} <= set(inputs):
        return ("left", "right")
    if len(inputs) == 2:
        return inputs
    said = view.notices[-1].split("A person answers:", 1)[-1] if view.notices else ""
    named = [word for word in dict.fromkeys(re.findall(r"[\w-]+", said)) if word in inputs]
    return named if len(named) == 2 else None


def _read(side: str, table: str) -> dict[str, Any]:
    return {
        "key": side,
        "agent": "reader",
        "title": f"Read the {side} table",
        "instruction": f"Profile the input `{table}`: rows, totals, formats, and what each column means.",
        "inputs": [table],
    }


def _match(tables: Sequence[str]) -> dict[str, Any]:
    return {
        "key": "match",
        "agent": "matcher",
        "title": "Match the bookings",
        "instruction": "Match the bookings of both tables; look again while a looser look would find more.",
        "inputs": list(tables),
        "after": [{"subtask": "left"}, {"subtask": "right"}],
    }


def _decide() -> dict[str, Any]:
    return {
        "key": "decide",
        "agent": "decider",
        "title": "Decide",
        "instruction": "Have this question decided by a person.",
        "after": [{"subtask": "match"}],
        "over": {"subtask": "match", "list": "questions"},
    }


def _settle() -> dict[str, Any]:
    return {
        "key": "settle",
        "agent": "settler",
        "title": "Settle and prove",
        "instruction": "Apply the decisions, prove that it ties out, make the report and its files.",
        "after": [{"subtask": "match"}, {"subtask": "decide", "needs": "any"}],
    }


def read(view: View) -> Action:
    """Profile the one input, then say what it is."""
    (name,) = view.briefing["inputs"]
    if not view.observations:
        return use("tables.profile", f"I need to know what `{name}` holds before it can be matched.", table=name)
    seen = view.observations[-1]
    if not seen.ok:
        return _failed(seen)
    return answer({"summary": f"{seen.summary} [{seen.ref}]", "evidence": [seen.ref]}, "The profile says it all.")


def match(view: View) -> Action:
    """Look strictly first, then as much looser as the last look says that more would be found."""
    looked = view.seen("reconcile.match")
    if not looked:
        return _look("strict", "References decide most; a strict look shows how much they leave open.", view)
    last = looked[-1]
    if not last.ok:
        return _failed(last)
    following = last.data.get("next_look")
    if following in LOOKS and following not in [one.arguments.get("look") for one in looked] and not view.last_call:
        return _look(following, f"{last.summary} A {following} look would place more.", view)
    said = {
        "summary": f"{last.summary} [{last.ref}]",
        "data": {"questions": last.data.get("questions", [])},
        "evidence": [last.ref],
        "result": last.ref,
    }
    return answer(said, "No looser look would find more.")


def _look(look: str, thought: str, view: View) -> Action:
    given = hints(view.briefing["goal"]["parameters"])
    told = {f"{side}_columns": columns for side, columns in given.items() if columns}
    left, right = view.briefing["inputs"]
    return use("reconcile.match", thought, left=left, right=right, look=look, **told)


def decide(view: View) -> Action:
    """Ask a person; the answer is the decision."""
    question = view.briefing["item"]
    source = next(iter(view.briefing["predecessors"]), None)
    if not view.observations:
        return use(
            "escalate",
            "No rule decides this; it is for a person who knows the case.",
            question=question["text"],
            tried="Every rule of the matching was tried; none separates the candidates or explains the difference.",
            evidence=[source["result"]] if source and source["result"] else [],
            choices=[{"value": one["value"], "label": one["label"]} for one in question["choices"]],
            about=question["id"],
            default=question.get("default"),
        )
    got = view.observations[-1]
    if not got.ok:
        return _failed(got)
    choice = got.data["answer"] or question.get("default")
    decided = {"question": question["id"], "choice": choice, "ticket": got.data["ticket"]}
    return answer({"summary": f"{question['id']}: {got.summary} [{got.ref}]", "data": decided, "evidence": [got.ref]})


def settle(view: View) -> Action:
    """Apply the decisions to the last match."""
    before = {one["key"].split("@", 1)[0]: one for one in view.briefing["predecessors"]}
    if not view.observations:
        decisions = _decisions(before.get("decide"))
        thought = f"{len(decisions)} decisions are to be applied, then everything has to tie out."
        return use("reconcile.settle", thought, match=before["match"]["result"], decisions=decisions)
    got = view.observations[-1]
    if not got.ok:
        return _failed(got)
    said = {
        "summary": f"{got.summary} [{got.ref}]",
        "evidence": [got.ref],
        "result": got.ref,
        "artifacts": [f"{got.ref}/{name}" for name in got.artifacts],
    }
    return answer(said, "It ties out and every row is placed once.")


def _decisions(decide_group: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    items: Sequence[Mapping[str, Any]] = (decide_group or {}).get("data", {}).get("items", [])
    return [dict(one["data"]) for one in items if one["status"] == "done" and one["data"].get("choice")]


def compose(view: View) -> Action:
    """Take in the report of the settlement; without one, say what is known and what failed."""
    settled = [one for one in view.briefing["predecessors"] if one["result"] and one["artifacts"]]
    if not settled:
        said = "\n".join(f"- {one['title']} ({one['status']}): {one['text']}" for one in view.briefing["predecessors"])
        text = f"# The reconciliation could not be finished\n\n{said}"
        return answer({"answer": text, "failed": True}, "There is no settlement.")
    last = settled[-1]
    reports = [name for name in last["artifacts"] if name.endswith("/report.md")]
    files = [name for name in last["artifacts"] if not name.endswith("/report.md")]
    text = "\n\n".join(f"{{{{{name}}}}}" for name in reports)
    return answer({"answer": text, "result": last["result"], "artifacts": files}, "The report was made by code.")


def review(view: View) -> Action:
    """Pass: the settlement proved the figures, and the code's own check stands beside this verdict."""
    del view
    return answer({"verdict": "pass", "note": "it ties out, and every figure has a source"})


def _failed(seen: Seen) -> Action:
    """An answer that says what went wrong."""
    return answer({"summary": seen.summary, "status": "failed", "data": {"error": dict(seen.error)}})
