"""What the check finds wrong with a report: one figure, quote or citation, where it stands and how to mend it."""

from typing import Literal

from orchestrator.domain.record import Record

FaultKind = Literal["uncited", "not_found", "wrong_sum", "unknown_citation", "quote"]
"""`uncited`: nothing says where it comes from. `not_found`: the observation cited does not have it. `wrong_sum`: a
calculation or a total comes to something else. `unknown_citation`: no such observation or file. `quote`: not in these
words."""


class Fault(Record):
    """One thing to mend. `written` is the figure, quote or citation as it stands in the report; lines count from 1."""

    line: int
    written: str
    citations: tuple[str, ...]
    kind: FaultKind
    mend: str
    """A sentence for whoever composes: what is wrong and what to write instead."""

    def __str__(self) -> str:
        return f"Line {self.line}: {self.mend}"
