"""Runs a tool in a child process of its own, forked warm for this one call."""

import os
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

from pydantic import BaseModel

from agents.errors import ToolError
from agents.isolation.addresses import address_of
from agents.isolation.conversation import Conversation, Spoken
from agents.isolation.frames import Frame
from agents.isolation.imports import Imports
from agents.isolation.nursery import Nursery, NurseryError
from agents.tools.function import Ask, Tool, ToolContext, ToolResult
from orchestrator.ports.clock import Deadline

MEMORY = 2 * 1024**3
"""Bytes of address space that a child may use."""


class Isolation:
    """Children for heavy tools; one for a whole worker process, used from all its threads.

    A child sees one call and ends. It is forked from a process that has the tools' modules imported already, so it
    starts in milliseconds, and nothing that one call leaves behind is there for the next.
    """

    def __init__(self, memory: int = MEMORY, most: int | None = None) -> None:
        self._memory = memory
        self._nursery = Nursery()
        self._slots = threading.BoundedSemaphore(most or max(4, 2 * (os.cpu_count() or 1)))
        self._imports = Imports()

    def warm(self) -> None:
        """Start what starts children now, so that the first call does not wait for it."""
        try:
            self._nursery.start()
        except NurseryError as error:
            raise ToolError("busy", str(error), retryable=True) from error

    def run(
        self,
        tool: Tool,
        arguments: BaseModel,
        context: ToolContext,
        deadline: Deadline,
        begin: Callable[[], None] = lambda: None,
    ) -> ToolResult | Ask:
        """Run the tool in a child, which is ended at the deadline. Raises ToolError, and what `begin` raises.

        `begin` is asked once a process is free, at the last moment before the tool starts.
        """
        address = address_of(tool)
        imports = self._imports.of(address)
        job = Frame(
            {
                "address": address,
                "imports": imports.late,
                "path": sys.path,
                "deadline": deadline.at,
                "memory": self._memory,
                "key": context.idempotency_key,
            },
            arguments.model_dump_json(round_trip=True).encode(),
        )
        first = Frame({"preload": imports.preload, "path": sys.path})
        with self._slot(deadline):
            begin()
            spoken = self._spoken(tool, first, job, context, deadline)
        self._imports.learn(address, imports, spoken)
        return spoken.result

    def close(self) -> None:
        """End all children."""
        self._nursery.close()

    def _spoken(self, tool: Tool, first: Frame, job: Frame, context: ToolContext, deadline: Deadline) -> Spoken:
        try:
            with self._nursery.child(first) as cradle:
                return Conversation(tool, context, deadline, self._memory, cradle).hold(job)
        except NurseryError as error:
            raise ToolError("busy", str(error), retryable=True, hint="Try again later.") from error

    @contextmanager
    def _slot(self, deadline: Deadline) -> Generator[None]:
        if not self._slots.acquire(timeout=deadline.left()):
            what = "all processes for heavy tools were busy until the time was up"
            raise ToolError("busy", what, retryable=True, hint="Try once more, then go on without it.")
        try:
            yield
        finally:
            self._slots.release()
