"""The audit chain of a run: each entry's digest covers the entry and the digest before it."""

import hashlib
import json
from datetime import datetime

from sqlalchemy import insert

from orchestrator.adapters.sql.documents import written
from orchestrator.adapters.sql.kinds import storable
from orchestrator.adapters.sql.schema import audit
from orchestrator.adapters.sql.transaction import Transaction
from orchestrator.domain.changes import Note
from orchestrator.domain.identity import Actor

_ADD_ENTRY = insert(audit)


def digest(before: str, *, n: int, at: datetime, actor: Actor, action: str, detail: str) -> str:
    """SHA-256 over the entry and the digest before it (empty for the first), as one JSON list in UTF-8."""
    parts = [before, n, at.isoformat(), actor.model_dump(mode="json"), action, detail]
    text = json.dumps(parts, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def note(tx: Transaction, change: Note) -> None:
    """Add one entry; the run's lock keeps the chain in order."""
    run = tx.run(change.run_id)
    action, detail = storable(change.action), storable(change.detail)
    run.audit_n += 1
    run.audit_digest = digest(
        run.audit_digest, n=run.audit_n, at=tx.now, actor=change.actor, action=action, detail=detail
    )
    run.changed |= {"audit_n": run.audit_n, "audit_digest": run.audit_digest}
    tx.connection.execute(
        _ADD_ENTRY,
        {
            "run_id": run.id,
            "n": run.audit_n,
            "at": tx.now,
            "actor": written(change.actor),
            "action": action,
            "detail": detail,
            "digest": run.audit_digest,
        },
    )
