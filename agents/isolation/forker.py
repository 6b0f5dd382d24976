"""The process that forks a child for each call: single-threaded, with the heavy modules imported once, for all."""

import contextlib
import ctypes
import gc
import importlib
import os
import resource
import selectors
import signal
import socket
import sys
from dataclasses import dataclass
from typing import NoReturn

from agents.isolation.child import live
from agents.isolation.frames import Frame, FrameError, packed, receive

FORK = b"F"
_PATIENCE = 5.0
_IGNORED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""The worker decides when to end: tools go on while it finishes its step."""
_M_ARENA_MAX = -8
_UNIT = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True, slots=True)
class _Child:
    pid: int
    line: socket.socket
    """Carries how the child ended; closed by the worker, it says that the child is wanted no longer."""


class Forker:
    """Forks on request, ends what is wanted no longer, reports how each child ended."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._selector = selectors.DefaultSelector()
        self._children: dict[int, _Child] = {}
        self._woken, self._wake = socket.socketpair()
        self._tried: set[str] = set()
        self._pid = os.getpid()

    def serve(self) -> None:
        """Go on until the worker is gone; then end all children."""
        self._wake.settimeout(0)
        self._woken.settimeout(0)
        signal.set_wakeup_fd(self._wake.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, _noticed)
        self._selector.register(self._control, selectors.EVENT_READ)
        self._selector.register(self._woken, selectors.EVENT_READ)
        try:
            while self._round():
                pass
        finally:
            for child in self._children.values():
                _end(child.pid)

    def _round(self) -> bool:
        for key, _ in self._selector.select():
            if key.fileobj is self._control:
                if not self._fork_one():
                    return False
            elif key.fileobj is self._woken:
                with contextlib.suppress(BlockingIOError):
                    self._woken.recv(4096)
            elif isinstance(key.data, _Child):
                self._selector.unregister(key.fileobj)
                _end(key.data.pid)
        self._reap()
        return True

    def _fork_one(self) -> bool:
        try:
            request, fds, _, _ = socket.recv_fds(self._control, 1, 3)
        except ConnectionResetError:
            return False
        if request != FORK or len(fds) != 3:
            return False
        for fd in fds:
            os.set_inheritable(fd, False)  # noqa: FBT003  # takes no keyword
        channel, line, output = socket.socket(fileno=fds[0]), socket.socket(fileno=fds[1]), fds[2]
        try:
            channel.settimeout(_PATIENCE)
            self._preload(receive(channel))
            channel.settimeout(None)
            self._fork(channel, line, output)
        except (OSError, FrameError) as error:
            _say(line, Frame({"kind": "unborn", "why": str(error)}))
            line.close()
        finally:
            channel.close()
            os.close(output)
        return True

    def _preload(self, first: Frame) -> None:
        """Import here what all later children will want; the worker names only what is known to import well."""
        absent = [module for module in first.header["preload"] if module not in self._tried]
        if not absent:
            return
        sys.path[:] = first.header["path"]
        for module in absent:
            self._tried.add(module)
            with contextlib.suppress(Exception):  # the child meets the same error and says it
                importlib.import_module(module)
        gc.collect()
        gc.freeze()

    def _fork(self, channel: socket.socket, line: socket.socket, output: int) -> None:
        pid = os.fork()
        if pid == 0:
            self._become_child(channel, line, output)
        child = _Child(pid, line)
        self._children[pid] = child
        self._selector.register(line, selectors.EVENT_READ, child)

    def _become_child(self, channel: socket.socket, line: socket.socket, output: int) -> NoReturn:
        try:
            signal.set_wakeup_fd(-1)
            for changed in (signal.SIGCHLD, *_IGNORED):
                signal.signal(changed, signal.SIG_DFL)
            self._selector.close()
            for other in (self._control, self._wake, self._woken, line, *(one.line for one in self._children.values())):
                other.close()
            live(channel, output, self._pid)
        finally:
            os._exit(1)

    def _reap(self) -> None:
        while self._children:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            self._bury(pid, status, usage)

    def _bury(self, pid: int, status: int, usage: resource.struct_rusage) -> None:
        child = self._children.pop(pid, None)
        if child is None:
            return
        _end_group(pid)  # whatever the tool itself had started
        with contextlib.suppress(KeyError):
            self._selector.unregister(child.line)
        _say(child.line, Frame({"kind": "ended", "status": status, "peak": usage.ru_maxrss * _UNIT}))
        child.line.close()


def _noticed(_number: int, _frame: object) -> None:
    """The wake-up descriptor does the work; without a handler of ours nothing is written to it."""


def _few_arenas() -> None:
    """Make glibc set aside less address space for each thread, so that the limit counts what is used."""
    with contextlib.suppress(AttributeError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 2)


def _end(pid: int) -> None:
    """End a child that has not been reaped, and everything in its group."""
    _end_group(pid)
    with contextlib.suppress(ProcessLookupError):  # it may not lead its group yet
        os.kill(pid, signal.SIGKILL)


def _end_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _say(line: socket.socket, frame: Frame) -> None:
    with contextlib.suppress(OSError):
        line.sendall(packed(frame))


def main() -> None:
    """Serve the control socket whose number stands in the first argument."""
    for ignored in _IGNORED:
        signal.signal(ignored, signal.SIG_IGN)
    _few_arenas()
    gc.collect()
    gc.freeze()
    Forker(socket.socket(fileno=int(sys.argv[1]))).serve()
