"""Every figure has a source: takes a report apart and checks it against the observations that it cites.

What is a figure, which citation governs it and when evidence supports it is said in `figures`, `citations` and
`support`; what is a name and not a figure in `names` and `named`.
"""

from orchestrator.domain.evidence.checking import check, check_totals
from orchestrator.domain.evidence.citations import cited
from orchestrator.domain.evidence.claims import supports
from orchestrator.domain.evidence.fault import Fault, FaultKind
from orchestrator.domain.evidence.inclusion import expand, includes
from orchestrator.domain.evidence.index import Index

__all__ = ["Fault", "FaultKind", "Index", "check", "check_totals", "cited", "expand", "includes", "supports"]
