"""Judges a trial against what its case expects: what came of it, and how; every fault is one sentence."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from agents.evals.calls import call_faults
from agents.evals.case import AnswerTest, Case, TextTest, TicketTest
from agents.evals.likeness import is_like
from agents.evals.trial import Trial
from orchestrator.domain.evidence.figures import scan
from orchestrator.domain.evidence.index import Index
from orchestrator.domain.evidence.support import is_exact
from orchestrator.domain.ticket import Ticket

_ANSWERED = frozenset({"done", "failed"})


@dataclass(frozen=True, slots=True)
class Judged:
    """A trial with all that is wrong with it."""

    case: Case
    trial: Trial
    wrong: tuple[str, ...]
    """Of what came of it: the ending, the answer, the questions to people."""
    misbehaved: tuple[str, ...]
    """Of how it went: calls and limits."""

    @property
    def right(self) -> bool:
        """True when what came of it is as expected, however it was reached."""
        return not self.wrong

    @property
    def passed(self) -> bool:
        """True when everything is as expected."""
        return not self.wrong and not self.misbehaved


def judge(case: Case, trial: Trial) -> Judged:
    """Hold a trial against its case."""
    wrong = [*_ending_faults(case, trial), *answer_faults(case.expect.answer, trial), *_ticket_faults(case, trial)]
    misbehaved = [*call_faults(case.expect, trial.calls), *_limit_faults(case, trial)]
    return Judged(case, trial, tuple(wrong), tuple(misbehaved))


def judge_outcome(case: Case, trial: Trial) -> Judged:
    """Hold against its case only what came of a trial: a model that is asked plainly can make no calls."""
    return replace(judge(case, trial), misbehaved=())


def _ending_faults(case: Case, trial: Trial) -> Iterator[str]:
    expected = case.expect.ending
    if expected == "refused":
        done = [str(call) for call in trial.calls if call.ok and call.effect != "read"]
        if trial.state not in _ANSWERED:
            yield f"It should have been refused; {_how(trial)}."
        elif done:
            yield f"It should have been refused, but this was done: {', '.join(done)}."
    elif trial.state != expected:
        yield f"It should have ended `{expected}`; {_how(trial)}."


def _how(trial: Trial) -> str:
    if trial.state == "waiting":
        asked = next((ticket.question for ticket in trial.tickets if ticket.status == "open"), "")
        return f"it waits for a person: {asked}".rstrip(".")
    if trial.state == "late":
        return "it had not ended when the time was up"
    why = f" ({trial.reason[:300].rstrip('.')})" if trial.reason and trial.state != "done" else ""
    return f"it ended `{trial.state}`{why}"


def answer_faults(test: AnswerTest, trial: Trial) -> Iterator[str]:
    """What the answer lacks, or has although it must not."""
    yield from text_faults(test, trial.answer, "The answer")
    index = Index.of(trial.answer)
    for written in test.figures:
        if not _has_figure(written, index):
            yield f"The answer has no figure {written}."
    for written in test.no_figures:
        if _has_figure(written, index):
            yield f"The answer has the figure {written}, which it must not."
    if test.data and not any(is_like(test.data, document) for document in trial.documents):
        yield f"Neither the result nor a finding has the data {test.data}."


def _has_figure(written: str, index: Index) -> bool:
    (figure,) = scan(written).figures
    return is_exact(figure, index)


def text_faults(test: TextTest, text: str, what: str) -> Iterator[str]:
    """Which conditions a text does not meet."""
    folded = _folded(text)
    for part in test.contains:
        if _folded(part) not in folded:
            yield f"{what} does not contain `{part}`."
    for part in test.lacks:
        if _folded(part) in folded:
            yield f"{what} contains `{part}`, which it must not."
    for pattern in test.matches:
        if not re.search(pattern, text, re.IGNORECASE):
            yield f"{what} does not match `{pattern}`."


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def fits(test: TextTest, text: str) -> bool:
    """True when the text meets all conditions."""
    return next(text_faults(test, text, ""), None) is None


def _ticket_faults(case: Case, trial: Trial) -> Iterator[str]:
    for expected in case.expect.tickets:
        if not any(_is_asked(expected, ticket) for ticket in trial.tickets):
            asked = "; ".join(f"`{ticket.question[:120]}`" for ticket in trial.tickets) or "nothing"
            yield f"No person was asked {_told(expected)}; asked was {asked}."


def _is_asked(expected: TicketTest, ticket: Ticket) -> bool:
    if expected.topic is not None and expected.topic != ticket.topic:
        return False
    if expected.about is not None and not is_like(expected.about, ticket.about):
        return False
    return fits(expected.question, ticket.question)


def _told(expected: TicketTest) -> str:
    about = f"about `{expected.about or expected.topic}`" if expected.about or expected.topic else ""
    words = ", ".join((*expected.question.contains, *expected.question.matches))
    return " ".join(part for part in (about, f"with the words {words}" if words else "") if part) or "anything"


def _limit_faults(case: Case, trial: Trial) -> Sequence[str]:
    used = (
        ("steps", trial.steps, case.limits.steps),
        ("tokens", trial.tokens, case.limits.tokens),
        ("seconds of work", trial.worked, case.limits.seconds),
    )
    return [
        f"It took {value:,.0f} {what}; {limit:,.0f} are the most."
        for what, value, limit in used
        if limit is not None and value > limit
    ]
