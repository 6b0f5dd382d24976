"""The worker's side of one call in a child: answers what the tool asks, waits for the result, keeps the deadline."""

import json
import logging
import os
import select
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from agents.content import dumps
from agents.errors import ToolError
from agents.isolation.frames import CHUNK, Frame, FrameError, Unpacking, packed
from agents.isolation.memory import Ended, died_of_memory
from agents.isolation.nursery import Cradle
from agents.tools.calling import after_failure, no_memory
from agents.tools.function import Ask, Tool, ToolContext, ToolResult
from orchestrator.domain.ticket import TicketDraft
from orchestrator.errors import OutsideError
from orchestrator.ports.clock import Deadline

_TAIL = 4_000
_MOST_READS = 16
_LAST_WORDS = 2.0
LOOK_SECONDS = 0.25
"""So often somebody looks whether the call is still wanted."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Spoken:
    """What a call came to, and what importing for it was like."""

    result: ToolResult | Ask
    threads: int
    """Threads of the child when everything was imported and the tool not yet called."""
    late: tuple[str, ...]
    """Modules that were imported only during the call."""


class Conversation:
    """One call. Used by one thread."""

    def __init__(self, tool: Tool, context: ToolContext, deadline: Deadline, memory: int, cradle: Cradle) -> None:
        self._tool = tool
        self._context = context
        self._deadline = deadline
        self._had = deadline.left()
        self._memory = memory
        self._cradle = cradle
        self._output = b""
        self._poll = select.poll()
        for fd in (cradle.channel.fileno(), cradle.output):
            self._poll.register(fd, select.POLLIN)

    def hold(self, job: Frame) -> Spoken:
        """Give the child its job and return what came of it. Raises ToolError."""
        try:
            self._send(job)
            for frame in self._frames():
                if frame.kind == "ask":
                    self._send(self._answer(frame))
                else:
                    return self._concluded(frame)
        except TimeoutError:
            raise self._too_slow() from None
        except (FrameError, BrokenPipeError, ConnectionResetError):
            pass  # told below from how the child ended
        finally:
            self._log_output()
        raise self._death()

    def _send(self, frame: Frame) -> None:
        self._cradle.channel.settimeout(max(0.01, self._deadline.left()))
        self._cradle.channel.sendall(packed(frame))

    def _frames(self) -> Iterator[Frame]:
        """Frames from the child until it is gone. Raises TimeoutError at the deadline."""
        unpacking = Unpacking()
        channel = self._cradle.channel.fileno()
        while True:
            ready = {fd for fd, _ in self._poll.poll(min(self._deadline.left(), LOOK_SECONDS) * 1000)}
            if not ready and self._deadline.passed():
                raise TimeoutError
            if self._cradle.output in ready:
                self._read_output()
            if channel in ready:
                received = self._cradle.channel.recv(CHUNK)
                if not received:
                    return
                yield from unpacking.feed(received)

    def _read_output(self) -> None:
        read = os.read(self._cradle.output, 65_536)
        if not read:
            self._poll.unregister(self._cradle.output)
        self._output = (self._output + read)[-_TAIL:]

    def _answer(self, asked: Frame) -> Frame:
        try:
            value = _looked_up(self._context, asked.header["what"], asked.header["names"])
            return Frame({"kind": "value"}, dumps(value).encode("utf-8", "replace"))
        except OutsideError as error:
            found = ToolError("outside", str(error), retryable=True, hint="Try once more, then go on without it.")
        except ToolError as error:
            found = error
        header = {"code": found.code, "what": found.what, "retryable": found.retryable, "hint": found.mend}
        return Frame({"kind": "error", **header})

    def _concluded(self, frame: Frame) -> Spoken:
        header = frame.header
        match frame.kind:
            case "result":
                return Spoken(_result(frame), header["threads"], tuple(header["late"]))
            case "asked":
                draft = TicketDraft.model_validate(header["draft"])
                return Spoken(Ask(draft), header["threads"], tuple(header["late"]))
            case "out_of_memory":
                raise self._no_memory()
            case _:
                raise ToolError(header["code"], header["what"], retryable=header["retryable"], hint=header["hint"])

    def _death(self) -> ToolError:
        """Why the child ended without a result, as the forker tells it."""
        told = self._last_words()
        if told is None:
            what = f"{self._tool.name} was stopped: the process that starts tools ended"
            return ToolError(
                "tool_crashed", what, retryable=self._tool.effect == "read", hint=after_failure(self._tool)
            )
        if told.kind == "unborn":
            what = f"no process for {self._tool.name} could be started: {told.header['why']}"
            return ToolError("busy", what, retryable=True, hint="Try once more, then go on without it.")
        ended = Ended(told.header["status"], told.header["peak"])
        if self._deadline.passed():
            return self._too_slow()
        if died_of_memory(ended, self._memory, self._output.decode("utf-8", "replace")):
            return self._no_memory()
        what = f"{self._tool.name} crashed: its process {ended.told()}"
        return ToolError("tool_crashed", what, hint=after_failure(self._tool))

    def _last_words(self) -> Frame | None:
        unpacking = Unpacking()
        self._cradle.line.settimeout(_LAST_WORDS)
        try:
            while received := self._cradle.line.recv(CHUNK):
                for frame in unpacking.feed(received):
                    return frame
        except (OSError, FrameError):
            return None
        return None

    def _too_slow(self) -> ToolError:
        if self._deadline.is_stopped():
            what = f"{self._tool.name} was stopped: nobody waits for its result any more"
            return ToolError("stopped", what, hint=after_failure(self._tool))
        # Less than the tool's own time where the deadline is another's, or part of it went by in a queue.
        had = f"the {self._had:.1f} s that it had (at most {self._tool.seconds:g} s)"
        what = f"{self._tool.name} took longer than {had} and was stopped"
        hint = "Ask for less at once: fewer rows, a narrower filter, one input instead of several."
        return ToolError("timeout", what, hint=f"{hint} {after_failure(self._tool)}")

    def _no_memory(self) -> ToolError:
        return no_memory(self._tool, f"it may use ({self._memory // 1_048_576:,} MiB)")

    def _log_output(self) -> None:
        for _ in range(_MOST_READS):
            if not self._poll_output():
                break
            self._read_output()
        if self._output.strip():
            text = self._output.decode("utf-8", "replace").rstrip()
            _log.info("%s printed (its last %d characters at most):\n%s", self._tool.name, _TAIL, text)

    def _poll_output(self) -> bool:
        poll = select.poll()
        poll.register(self._cradle.output, select.POLLIN)
        return any(event & select.POLLIN for _, event in poll.poll(0))


def _looked_up(context: ToolContext, what: str, names: list[str]) -> Any:
    match what, *names:
        case "input", name:
            return str(context.input(name))
        case "input_names", *_:
            return dict(context.input_names())
        case "files", *_:
            return dict(context.files())
        case "file", name:
            return str(context.file(name))
        case "setting", name:
            return context.setting(name)
        case _:
            return context.observed(names[0])


def _result(frame: Frame) -> ToolResult:
    header: Mapping[str, Any] = frame.header
    data_size, shown_size = header["sizes"]
    at = data_size + shown_size
    files: dict[str, bytes] = {}
    for name, size in header["files"]:
        files[name] = frame.body[at : at + size]
        at += size
    return ToolResult(
        summary=header["summary"],
        data=json.loads(frame.body[:data_size]),
        shown=json.loads(frame.body[data_size : data_size + shown_size]) if shown_size else None,
        artifacts=files,
        empty=header["empty"],
    )
