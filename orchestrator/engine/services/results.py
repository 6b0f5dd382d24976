"""Results: what a run has to show, finished or not, read from the store on any machine and any day."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from orchestrator.domain import withholding
from orchestrator.domain.budget import Tariff
from orchestrator.domain.budget_words import price
from orchestrator.domain.finding import Finding
from orchestrator.domain.identity import Scope
from orchestrator.domain.run import Run, RunState, state
from orchestrator.domain.step import ModelUsage
from orchestrator.domain.subtask import Status, Subtask
from orchestrator.domain.ticket import Ticket
from orchestrator.engine.services.checking import Checker
from orchestrator.errors import InputError
from orchestrator.ports.blobs import Blobs
from orchestrator.ports.drafter import Drafted, Drafter, SoFar
from orchestrator.ports.store import Store


@dataclass(frozen=True, slots=True)
class Result:
    """`data` is the content of `result.json`; `files` are all files by name, `report.md` and `result.json` too."""

    state: RunState
    reason: str
    """Why the run ended as it did; empty while it goes on."""
    data: Mapping[str, Any]
    report: str
    files: Mapping[str, bytes]


class Results:
    """Reads results."""

    def __init__(self, store: Store, blobs: Blobs, checker: Checker, drafter: Drafter) -> None:
        self._store = store
        self._blobs = blobs
        self._checker = checker
        self._drafter = drafter

    def result(self, scope: Scope, run_id: str) -> Result:
        """The answer of a finished run, or what is known so far. Raises NotFoundError."""
        run = self._store.run(scope, run_id)
        subtasks = self._store.subtasks(run.id)
        tickets = self._store.tickets(scope, run_id=run.id)
        final = self._final(run)
        drafted = final or self._draft(run, subtasks, tickets)
        shown = state(run.status, subtasks)
        withheld = run.outcome.withheld if run.outcome else ()
        ours = {"run": run.id, "status": shown}
        more = {
            "tickets": [_ticket(one) for one in tickets],
            "usage": _usage(self._store.usage(run.id), run.goal.limits.tariff),
        }
        # First and last: they stand in front, and no field of a team's own data can take their place.
        named = {name: drafted.data[name] for name in run.rules.fields if name in drafted.data} or drafted.data
        data = withholding.redact({**ours, **named, **more, **ours}, withheld)
        report = withholding.redact(drafted.report, withheld)
        files = {name: _redacted(content, withheld) for name, content in drafted.files.items()}
        files["report.md"] = report.encode()
        files["result.json"] = (json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()
        reason = withholding.redact(run.outcome.reason, withheld) if run.outcome else ""
        return Result(shown, reason, data, report, files)

    def _final(self, run: Run) -> Drafted | None:
        answer_id = run.outcome.answer_id if run.outcome else None
        finding = self._store.findings([answer_id]).get(answer_id) if answer_id else None
        if run.outcome is None or finding is None:
            return None
        text = self._checker.check(run, finding).text
        if run.outcome.unsupported:
            listed = "\n".join(f"- {one}" for one in run.outcome.unsupported)
            text += f"\n\n## Objections a person let stand\n\n{listed}\n"
        return Drafted(text, self._structured(run, finding), self._files(run, finding))

    def _structured(self, run: Run, finding: Finding) -> Mapping[str, Any]:
        """The data of the observation named as the result; without one, the answer's text itself."""
        observation = self._store.observations(run.id, [finding.result]).get(finding.result) if finding.result else None
        if observation is None:
            return {"answer": finding.text}
        content = self._checker.content(observation)
        data = content.get("data") if isinstance(content, dict) else None
        return data if isinstance(data, dict) else {"answer": finding.text, "data": data}

    def _files(self, run: Run, finding: Finding) -> dict[str, bytes]:
        refs = [name.split("/", 1) for name in finding.artifacts]
        observations = self._store.observations(run.id, [ref for ref, _ in refs])
        found: dict[str, bytes] = {}
        for ref, name in refs:
            for artifact in observations[ref].artifacts if ref in observations else ():
                if artifact.name == name:
                    found[name] = self._blobs.get(artifact.blob)
        return found

    def _draft(self, run: Run, subtasks: Sequence[Subtask], tickets: Sequence[Ticket]) -> Drafted:
        findings = self._store.findings([one.id for one in subtasks])
        texts = {one.key: findings[one.id].text for one in subtasks if one.id in findings}
        so_far = SoFar(run, subtasks, self._store.observations(run.id), tickets, texts)
        return self._drafter.draft(so_far, self._checker) or Drafted(_plain(so_far))


def export(result: Result, folder: Path) -> list[Path]:
    """Write all files of a result into a folder, made if it is not there. Raises InputError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        paths: list[Path] = []
        for name, content in sorted(result.files.items()):
            path = folder / Path(name).name
            partial = path.with_name(path.name + ".part")
            partial.write_bytes(content)
            partial.replace(path)
            paths.append(path)
    except OSError as error:
        raise InputError(
            f"cannot be written: {error.strerror}", where=str(folder), mend="Name another folder."
        ) from None
    return paths


def _plain(so_far: SoFar) -> str:
    """What can be said of any run: what ended with which words, what is open, what is asked."""
    lines = [f"# {so_far.run.goal.text}", ""]
    if so_far.run.outcome:
        lines += [f"The run ended: {so_far.run.status}. {so_far.run.outcome.reason}", ""]
    for subtask in so_far.subtasks:
        if subtask.key in so_far.texts and subtask.spec.kind != "planner":
            lines += [f"## {subtask.spec.title} ({subtask.status})", "", so_far.texts[subtask.key], ""]
    going = [one for one in so_far.subtasks if one.status in {Status.READY, Status.RUNNING, Status.BLOCKED}]
    if going:
        lines += ["## Not yet done", "", *(f"- {one.spec.title}" for one in going), ""]
    asked = [ticket for ticket in so_far.tickets if ticket.status == "open"]
    if asked:
        lines += ["## Waiting for a person", "", *(f"- {ticket.id}: {ticket.question}" for ticket in asked), ""]
    return "\n".join(lines)


def _ticket(ticket: Ticket) -> dict[str, Any]:
    return {"id": ticket.id, "question": ticket.question, "status": ticket.status}


def _usage(models: Sequence[ModelUsage], tariff: Tariff | None) -> dict[str, Any]:
    known = [one.cost for one in models if one.cost is not None]
    usage: dict[str, Any] = {
        "model": ", ".join(one.model for one in models),
        "calls": sum(one.calls for one in models),
        "input_tokens": sum(one.input_tokens for one in models),
        "output_tokens": sum(one.output_tokens for one in models),
        "cost": str(sum((Decimal(cost) for cost in known), Decimal(0))) if len(known) == len(models) else None,
    }
    without_price = [one.model for one in models if one.cost is None]
    if without_price and tariff is not None:  # its limits had to count something
        usage["counted_at_worst_price"] = {"models": without_price, "price": price(tariff)}
    return usage


def _redacted(content: bytes, withheld: tuple[str, ...]) -> bytes:
    if not withheld:
        return content
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content
    bom = content[:3] if content.startswith(b"\xef\xbb\xbf") else b""
    return bom + withholding.redact(text, withheld).encode()
