"""Messages survive the way there and back, and nothing else is taken for one."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.embedded.protocol import (
    ProtocolError,
    Reply,
    Request,
    State,
    Trouble,
    WorkerState,
    decode_reply,
    decode_request,
    encode,
)

TEXT = st.text(max_size=20)
PIDS = st.none() | st.integers(1, 10**6)
WORKERS = st.builds(WorkerState, TEXT, PIDS, st.booleans(), st.integers(0))
STATES = st.builds(
    State,
    broker_url=TEXT,
    broker_pid=PIDS,
    broker_ready=st.booleans(),
    broker_starts=st.integers(0),
    supervisor_pid=st.integers(1),
    workers=st.lists(WORKERS, max_size=3).map(tuple),
    trouble=st.none() | st.builds(Trouble, TEXT, TEXT),
)
REPLIES = st.builds(Reply, st.integers(0), STATES, st.lists(TEXT, max_size=3).map(tuple))
REQUESTS = st.builds(
    Request, st.integers(0), st.sampled_from(["hello", "ready", "status", "leave"]), st.dictionaries(TEXT, TEXT)
)


@given(REQUESTS)
def test_a_request_arrives_as_it_was(request: Request) -> None:
    """One line without a line end inside, and the same request."""
    line = encode(request)
    assert line.count(b"\n") == 1
    assert decode_request(line) == request


@given(REPLIES)
def test_a_reply_arrives_as_it_was(reply: Reply) -> None:
    """One line without a line end inside, and the same reply."""
    line = encode(reply)
    assert line.count(b"\n") == 1
    assert decode_reply(line) == reply


JSON_VALUES = st.recursive(
    st.none() | st.integers() | TEXT, lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner)
)


@given(st.binary(max_size=60) | JSON_VALUES.map(lambda value: json.dumps(value).encode()))
def test_rubbish_is_refused_in_one_way(line: bytes) -> None:
    """Whatever arrives, only a ProtocolError comes of it."""
    for decode in (decode_request, decode_reply):
        with pytest.raises(ProtocolError):
            decode(line)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{}", "version None instead of 1"),
        (b'{"version": 2}', "version 2 instead of 1"),
        (b'{"version": 1}', "the request lacks 'number'"),
        (b'{"version": 1, "number": "1", "ask": "hello", "watched": {}}', "a field of the wrong kind"),
        (b'{"version": 1, "number": 1, "ask": "dance", "watched": {}}', "a field of the wrong kind"),
        (b'{"version": 1, "number": 1, "ask": ["hello"], "watched": {}}', "a field of the wrong kind"),
        (b'{"version": 1, "number": 1, "ask": "hello", "watched": []}', "a field of the wrong kind"),
    ],
)
def test_what_is_wrong_with_a_request_is_said(line: bytes, reason: str) -> None:
    """The reason is for the supervisor's log."""
    with pytest.raises(ProtocolError, match=reason):
        decode_request(line)


def test_ready_needs_both() -> None:
    """A worker without a broker, or a broker without a worker, is not ready."""
    worker, idle = WorkerState("a", 5, ready=True, starts=1), WorkerState("b", None, ready=False, starts=1)

    def state(*workers: WorkerState, broker: bool) -> State:
        return State("u", 1, broker_ready=broker, broker_starts=1, supervisor_pid=2, workers=workers)

    assert state(idle, worker, broker=True).ready
    assert not state(worker, broker=False).ready
    assert not state(idle, broker=True).ready
    assert not state(broker=True).ready
    assert state(idle, worker, broker=True).worker_pids == (5,)
