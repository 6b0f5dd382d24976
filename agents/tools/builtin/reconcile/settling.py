"""Answers applied to a matching: links, explanations and parted breaks; the identity is checked again after them."""

from collections.abc import Iterable, Mapping, Sequence

from agents.errors import ToolError
from agents.tools.builtin.reconcile.identity import check_broken, check_result, ensure
from agents.tools.builtin.reconcile.judging import Usual, judge
from agents.tools.builtin.reconcile.matching import Matching
from agents.tools.builtin.reconcile.placing import missing
from agents.tools.builtin.reconcile.questions import Decided, Decision
from agents.tools.builtin.reconcile.result import BookedRow, Break, BrokenRows, Match, Reconciliation, in_order
from agents.tools.builtin.reconcile.state import SIDES, Rows, SideName
from agents.tools.builtin.reconcile.summary import merged, summarise, tally


def settle(matching: Matching, decisions: Iterable[Decision]) -> Matching:
    """The matching after some of its questions were answered; the others stay open.

    Raises ToolError('unknown_question' | 'unknown_choice' | 'answered_twice') and changes nothing, DefectError when
    the outcome would not tie out.
    """
    answers = _answers(matching, list(decisions))
    answered = {one.question.id for one in answers}
    open_questions = tuple(one for one in matching.questions if one.id not in answered)
    rows = _Rows(matching.rows)
    breaks = list(matching.result.breaks)
    linked: list[Match] = []
    for answer in answers:
        concerned = [found for found in breaks if found.id in answer.question.about]
        matches, broken = _applied(answer, concerned, rows, Usual(matching.lag, matching.late_days))
        linked += matches
        breaks = [found for found in breaks if found.id not in answer.question.about] + broken
    every_match = sorted([*matching.result.matches, *linked], key=lambda found: (found.left, found.right))
    result = matching.result.model_copy(update={"matches": tuple(every_match), "breaks": in_order(breaks)})
    ensure([*check_result(result), *check_broken(result, matching.rows)])
    tallies = merged([*matching.summary.by_rule, *tally(linked, lambda left: rows.of("left", left))])
    return matching.model_copy(
        update={
            "result": result,
            "rows": rows.still_in(result),
            "questions": open_questions,
            "decided": (*matching.decided, *answers),
            "summary": summarise(result, tallies, len(open_questions)),
        }
    )


class _Rows:
    """The bookings in breaks, by side and row."""

    def __init__(self, rows: BrokenRows) -> None:
        self._rows: Mapping[SideName, Mapping[int, BookedRow]] = {
            "left": {one.row: one for one in rows.left},
            "right": {one.row: one for one in rows.right},
        }

    def of(self, side: SideName, rows: Iterable[int]) -> list[BookedRow]:
        return [self._rows[side][row] for row in rows]

    def still_in(self, result: Reconciliation) -> BrokenRows:
        left = sorted(row for found in result.breaks for row in found.left)
        right = sorted(row for found in result.breaks for row in found.right)
        return BrokenRows(left=tuple(self.of("left", left)), right=tuple(self.of("right", right)))


def _answers(matching: Matching, decisions: Sequence[Decision]) -> list[Decided]:
    if len({one.question for one in decisions}) != len(decisions):
        raise ToolError("answered_twice", "a question is answered more than once", hint="Send one choice for each.")
    questions = {question.id: question for question in matching.questions}
    answers: list[Decided] = []
    for decision in decisions:
        question = questions.get(decision.question)
        if question is None:
            known = ", ".join(questions) or "none"
            what = f"there is no open question `{decision.question}`"
            raise ToolError("unknown_question", what, hint=f"Open questions: {known}.")
        choice = next((one for one in question.choices if one.value == decision.choice), None)
        if choice is None:
            known = ", ".join(f"`{one.value}`" for one in question.choices)
            what = f"`{decision.choice}` is no choice of {question.id}"
            raise ToolError("unknown_choice", what, hint=f"Choices: {known}.")
        answers.append(Decided(question=question, choice=choice, ticket=decision.ticket or question.id))
    return answers


def _applied(answer: Decided, concerned: Sequence[Break], rows: _Rows, usual: Usual) -> tuple[list[Match], list[Break]]:
    """The matches that an answer makes, and the breaks that stay of those it concerns."""
    effect = answer.choice.effect
    label = answer.choice.label
    told = f"Decided by a person: {label[0].lower()}{label[1:]}."
    if effect.kind in ("keep", "explain"):
        return [], [_noted(found, told, answer.ticket) for found in concerned]
    links = effect.links if effect.kind == "link" else ()
    matches: list[Match] = []
    breaks: list[Break] = []
    for link in links:
        judged = judge(rows.of("left", link.left), rows.of("right", link.right), "decision", usual).found
        if isinstance(judged, Match):
            matches.append(judged)
        else:
            breaks.append(judged.model_copy(update={"ticket": answer.ticket}))
    for side in SIDES:
        taken = {row for link in links for row in _side(link, side)}
        over = [row for found in concerned for row in _side(found, side) if row not in taken]
        alone = [missing(side, booking, told) for booking in rows.of(side, over)]
        breaks += [found.model_copy(update={"ticket": answer.ticket}) for found in alone]
    return matches, breaks


def _side(found: Break | Rows, side: SideName) -> tuple[int, ...]:
    return found.left if side == "left" else found.right


def _noted(found: Break, told: str, ticket: str) -> Break:
    return found.model_copy(update={"explanation": f"{found.explanation} {told}", "ticket": ticket})
