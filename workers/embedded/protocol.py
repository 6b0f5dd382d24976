"""What a command and the supervisor say to each other: one JSON object a line, each request with one reply."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, cast, get_args

VERSION = 1
LONGEST_LINE = 1_000_000

Ask = Literal["hello", "ready", "status", "leave"]
"""`hello` is answered when the broker answers, `ready` when a worker takes work (either also in trouble),
`status` at once, `leave` (I need the services no more) when others still do; otherwise the connection just ends."""


class ProtocolError(ValueError):
    """The other side said something that is not a message of this version."""


@dataclass(frozen=True, slots=True)
class Request:
    """One question of a command."""

    number: int
    ask: Ask
    watched: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a service does not come up: one line, and the log that says more."""

    what: str
    log: str


@dataclass(frozen=True, slots=True)
class WorkerState:
    """One worker as the supervisor sees it; `pid` is None between two starts."""

    worker_id: str
    pid: int | None
    ready: bool
    starts: int


@dataclass(frozen=True, slots=True)
class State:
    """All services as the supervisor sees them."""

    broker_url: str
    broker_pid: int | None
    broker_ready: bool
    broker_starts: int
    supervisor_pid: int
    workers: tuple[WorkerState, ...] = ()
    trouble: Trouble | None = None

    @property
    def ready(self) -> bool:
        """True when the broker answers and a worker takes work."""
        return self.broker_ready and any(worker.ready for worker in self.workers)

    @property
    def worker_pids(self) -> tuple[int, ...]:
        """The workers that run."""
        return tuple(worker.pid for worker in self.workers if worker.pid is not None)


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to the request of the same number; `differs` names watched variables with another value here."""

    number: int
    state: State
    differs: tuple[str, ...] = ()


def encode(message: Request | Reply) -> bytes:
    """The message as one line."""
    return json.dumps({"version": VERSION, **asdict(message)}).encode() + b"\n"


def decode_request(line: bytes) -> Request:
    """Raises ProtocolError when the line is no request."""
    data = _object(line)
    try:
        number, ask, watched = data["number"], data["ask"], data["watched"]
    except KeyError as error:
        raise ProtocolError(f"the request lacks {error}") from None
    if not isinstance(number, int) or ask not in get_args(Ask) or not isinstance(watched, dict):
        raise ProtocolError("the request has a field of the wrong kind")
    return Request(number, ask, cast("dict[str, str]", watched))


def decode_reply(line: bytes) -> Reply:
    """Raises ProtocolError when the line is no reply."""
    data = _object(line)
    try:
        state = dict[str, Any](data["state"])
        workers = tuple(WorkerState(**worker) for worker in state.pop("workers"))
        trouble = state.pop("trouble")
        return Reply(
            number=data["number"],
            state=State(**state, workers=workers, trouble=Trouble(**trouble) if trouble else None),
            differs=tuple(data["differs"]),
        )
    except (KeyError, TypeError) as error:
        raise ProtocolError(f"not a reply: {error}") from None


def _object(line: bytes) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except ValueError:
        raise ProtocolError("the line is no JSON") from None
    if not isinstance(data, dict):
        raise ProtocolError("the line is no JSON object")
    message = cast("dict[str, Any]", data)
    if message.get("version") != VERSION:
        raise ProtocolError(f"version {message.get('version')} instead of {VERSION}")
    return message
