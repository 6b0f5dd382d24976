"""The error tree of Remit; every error says what is wrong, where, and what to do.

    RemitError
    ├── UserError             wrong usage or input: the person can mend it (exit 2)
    │   ├── InputError          a file, a parameter or an option cannot be used
    │   ├── ConfigError         the environment or the settings do not fit together
    │   ├── TeamError           a team file, an agent or a tool is declared wrongly
    │   ├── PlanError           a plan cannot be carried out as written
    │   ├── NotFoundError       no such run, ticket, observation, …
    │   └── TicketError         an answer that does not fit its ticket
    ├── OutsideError          something outside failed; worth a retry
    │   ├── StoreError          the database did not do what was asked; a stored content is gone or damaged
    │   ├── BrokerError         the broker did not take the message
    │   └── ServiceError        an embedded service did not start or answer
    ├── ConflictError         somebody else changed the same thing first: read again, decide anew
    ├── FencedError           this worker no longer owns the subtask: stop, write nothing
    └── DefectError           a rule of ours was broken: a bug

The trees of `agents` and `workers` hang on these classes.
"""


class RemitError(Exception):
    """The root. `what` is one sentence; `where` names the file, row or setting; `mend` says what to do.

    `str(error)` is the one line a person sees.
    """

    def __init__(self, what: str, *, where: str | None = None, mend: str | None = None) -> None:
        self.what = what
        self.where = where
        self.mend = mend
        super().__init__(what)

    def __str__(self) -> str:
        head = f"{self.where}: {self.what}" if self.where else self.what
        if not self.mend:
            return head
        return f"{head.rstrip('.')}. {self.mend}"

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (type(self), self.what, self.where, self.mend)


def _restore(kind: type[RemitError], what: str, where: str | None, mend: str | None) -> RemitError:
    return kind(what, where=where, mend=mend)


class UserError(RemitError):
    """Wrong usage or input; the person who called can mend it."""


class InputError(UserError):
    """A file, a parameter or an option cannot be used."""


class ConfigError(UserError):
    """The environment or the settings do not fit together."""


class TeamError(UserError):
    """A team file, an agent or a tool is declared wrongly."""


class PlanError(UserError):
    """A plan cannot be carried out as it is written."""


class NotFoundError(UserError):
    """No such run, ticket, subtask or observation."""


class TicketError(UserError):
    """An answer does not fit its ticket, or the ticket is closed."""


class OutsideError(RemitError):
    """Something outside Remit failed; the same call may succeed later."""


class StoreError(OutsideError):
    """The database did not do what was asked, or a stored content is gone or damaged."""


class BrokerError(OutsideError):
    """The broker did not take the message."""


class ServiceError(OutsideError):
    """An embedded service did not start or does not answer."""


class FencedError(RemitError):
    """The worker no longer owns the subtask: it stops and writes nothing."""


class DefectError(RemitError):
    """A rule of Remit's own was broken: a bug."""


class ConflictError(RemitError):
    """Somebody else changed the same thing first; read it again and decide anew."""
