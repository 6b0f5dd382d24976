"""What becomes of a subtask when a person has decided about what the engine, not its agent, asked."""

from collections.abc import Sequence

from orchestrator.domain.finding import Ending, Finding
from orchestrator.domain.step import Step
from orchestrator.domain.ticket import Ticket
from orchestrator.engine import escalating
from orchestrator.engine.services.claims import Claim
from orchestrator.engine.services.ending import Endings
from orchestrator.engine.services.turns import Turns


class Decisions:
    """Carries out what people decided."""

    def __init__(self, turns: Turns, endings: Endings) -> None:
        self._turns = turns
        self._endings = endings

    def act_on(self, claim: Claim, ticket: Ticket) -> None:
        """Go on as a person decided about what the engine asked."""
        match ticket.topic, ticket.answer:
            case "review", choice:
                self._endings.decided(claim, choice or "stop")
            case "set_aside", "skip":
                why = "it broke off each time" if claim.subtask.trouble else "its workers died"
                text = f"It was set aside because {why}, and a person decided to go on without it."
                self._turns.end(claim, Finding(status="failed", ending=Ending.SET_ASIDE, text=text))
            case "tools", "stop":
                text = "A person ended it: its tools are not what they were when its run was opened."
                self._turns.end(claim, Finding(status="failed", ending=Ending.REFUSED, text=text))
            case "plan", "stop":
                self._turns.end(
                    claim, Finding(status="failed", ending=Ending.REFUSED, text="A person stopped the run.")
                )
            case _:
                self._tell(claim, ticket)

    def _tell(self, claim: Claim, ticket: Ticket) -> None:
        """Tell the agent what the person said, and go on."""
        said = f"A person answers: {ticket.answer}" if ticket.answer else "Nobody answered in time."
        text = f"You asked: {ticket.question}\n{said}\n{ticket.comment}".strip()
        step = Step(n=len(claim.steps) + 1, kind="notice", text=text, by_person=True)
        self._turns.save(claim, step)
        self._turns.give_back(claim)


def tries_again(decision: Ticket) -> bool:
    """To go on where a subtask was set aside needs no step: the next turn may have to complete an open one."""
    return decision.topic == "set_aside" and decision.answer != "skip"


def goes_on(claim: Claim, changed: Sequence[str]) -> bool:
    """True when a person has said that the subtask goes on with its tools as they are."""
    about = escalating.about_tools(changed)
    return any(one.topic == "tools" and one.answer == "go_on" and one.about == about for one in claim.tickets)


def deaths_allowed(claim: Claim) -> int:
    """Each time a person says to try again, as many deaths are allowed anew."""
    again = sum(1 for ticket in claim.tickets if ticket.topic == "set_aside" and ticket.status != "open")
    return escalating.MOST_DEATHS * (1 + again)
