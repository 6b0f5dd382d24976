"""The id of a worker is that of one incarnation."""

import os
import socket

from workers.worker import new_worker_id


def test_a_host_name_and_a_pid_that_are_used_again() -> None:
    """They are told, but they are not what tells incarnations apart."""
    ids = [new_worker_id() for _ in range(1000)]
    assert len(set(ids)) == 1000
    assert {one.rpartition(":")[0] for one in ids} == {f"{socket.gethostname()}:{os.getpid()}"}
