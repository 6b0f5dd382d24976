"""The worker's hold on the forker: starts it when first needed, starts it again when it died, asks it for children."""

import contextlib
import json
import logging
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from agents.isolation.forker import FORK
from agents.isolation.frames import Frame, packed

_BOOT = "import json, sys; sys.path[:] = json.loads(sys.argv[2]); from agents.isolation.forker import main; main()"
_PATIENCE = 5.0
_log = logging.getLogger(__name__)


class NurseryError(Exception):
    """No child can be had."""


@dataclass(frozen=True, slots=True)
class Cradle:
    """The worker's three connections to one child."""

    channel: socket.socket
    """Carries the job, questions and the result."""
    line: socket.socket
    """From the forker: how the child ended. Closing it ends the child."""
    output: int
    """What the child prints."""


class Nursery:
    """Gives children; safe to use from several threads at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._closed = False

    @contextmanager
    def child(self, first: Frame) -> Generator[Cradle]:
        """A new child that has read `first`; at the end of the block it is ended. Raises NurseryError."""
        channel, channel_end = socket.socketpair()
        line, line_end = socket.socketpair()
        output, output_end = os.pipe()
        try:
            channel.sendall(packed(first))
            try:
                self._ask([channel_end.fileno(), line_end.fileno(), output_end])
            finally:
                channel_end.close()
                line_end.close()
                os.close(output_end)
            yield Cradle(channel, line, output)
        finally:
            # The line first: whatever the child still does is not wanted any more.
            line.close()
            channel.close()
            os.close(output)

    def start(self) -> None:
        """Have the forker ready before the first call."""
        with self._lock:
            self._started()

    def close(self) -> None:
        """End the forker and all children."""
        with self._lock:
            self._closed = True
            self._drop()

    def _ask(self, fds: list[int]) -> None:
        with self._lock:
            try:
                socket.send_fds(self._started(), [FORK], fds)
            except OSError:
                _log.warning("the process that starts tools is gone; starting another")
                self._drop()
                self._send_again(fds)

    def _send_again(self, fds: list[int]) -> None:
        try:
            socket.send_fds(self._started(), [FORK], fds)
        except OSError as error:
            raise NurseryError(f"no process for tools can be started: {error}") from error

    def _started(self) -> socket.socket:
        if self._closed:
            raise NurseryError("the worker is stopping")
        if self._process is not None and self._process.poll() is not None:
            self._drop()
        if self._control is None:
            self._start()
        assert self._control is not None
        return self._control

    def _start(self) -> None:
        control, end = socket.socketpair()
        try:
            self._process = subprocess.Popen(  # noqa: S603  # our own interpreter with our own code
                [sys.executable, "-c", _BOOT, str(end.fileno()), json.dumps(sys.path)],
                pass_fds=[end.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            control.close()
            raise NurseryError(f"no process for tools can be started: {error}") from error
        finally:
            end.close()
        control.settimeout(_PATIENCE)
        self._control = control

    def _drop(self) -> None:
        control, process = self._control, self._process
        self._control = self._process = None
        if control is not None:
            control.close()
        if process is None:
            return
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_PATIENCE)
