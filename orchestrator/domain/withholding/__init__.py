"""What must not leave: finds secrets and personal data by pattern, and takes strings out of texts and JSON values."""

from orchestrator.domain.withholding.finding import SETS, Hit, find
from orchestrator.domain.withholding.redaction import MARK, redact

__all__ = ["MARK", "SETS", "Hit", "find", "redact"]
