"""Assembles the chunks of a streamed reply into the body that the same reply has without streaming."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from agents.models.native.writing import SIGNED
from agents.protocols.json_text import loads


class CutStreamError(ValueError):
    """The stream ended before the reply did; what came is half an answer and is thrown away."""


def assemble(stream: bytes) -> dict[str, Any]:
    """The body of a finished stream of server-sent events. Raises CutStreamError or ValueError."""
    whole = _Whole()
    for event in _events(stream):
        if event.strip() == b"[DONE]":
            whole.done = True
            break
        chunk = loads(event)
        if isinstance(chunk, Mapping):
            whole.add(cast("Mapping[str, Any]", chunk))
    return whole.body()


def _events(stream: bytes) -> Iterator[bytes]:
    data: list[bytes] = []
    for line in stream.splitlines():
        if line.startswith(b"data:"):
            data.append(line[5:].removeprefix(b" "))
        elif not line and data:
            yield b"\n".join(data)
            data = []
    if data:  # an event that no empty line closed is incomplete, unless it is the end mark
        yield from (b"[DONE]",) if data == [b"[DONE]"] else ()


class _Whole:
    def __init__(self) -> None:
        self.done = False
        self._base: dict[str, Any] = {}
        self._texts: dict[str, list[str]] = {}
        self._rest: dict[str, Any] = {}
        self._calls: dict[int, dict[str, Any]] = {}
        self._finish: str | None = None
        self._seen = False

    def add(self, chunk: Mapping[str, Any]) -> None:
        """Take in one chunk; usage comes in the last one, beside no choices."""
        for key in ("id", "model", "usage", "error"):
            if chunk.get(key) is not None:
                self._base[key] = chunk[key]
        choices = chunk.get("choices")
        for choice in cast("list[Any]", choices) if isinstance(choices, list) else []:
            if isinstance(choice, Mapping) and cast("Mapping[str, Any]", choice).get("index", 0) == 0:
                self._add_choice(cast("Mapping[str, Any]", choice))

    def body(self) -> dict[str, Any]:
        """The whole body, once the stream said that the reply is finished."""
        if "error" in self._base:
            return self._base
        if self._finish is None and not (self.done and self._seen):
            raise CutStreamError("the stream broke off before the reply was finished")
        message: dict[str, Any] = {"role": "assistant", "content": None, **self._rest}
        message |= {key: "".join(parts) for key, parts in self._texts.items()}
        if self._calls:
            message["tool_calls"] = [self._calls[index] for index in sorted(self._calls)]
        return {**self._base, "choices": [{"index": 0, "message": message, "finish_reason": self._finish}]}

    def _add_choice(self, choice: Mapping[str, Any]) -> None:
        self._seen = True
        delta = choice.get("delta") or choice.get("message")
        if isinstance(delta, Mapping):
            self._add_delta(cast("Mapping[str, Any]", delta))
        if isinstance(finish := choice.get("finish_reason"), str) and finish:
            self._finish = finish

    def _add_delta(self, delta: Mapping[str, Any]) -> None:
        for key, value in delta.items():
            if key == "tool_calls":
                self._add_calls(cast("Iterable[Any]", value if isinstance(value, list) else ()))
            elif key in {"content", "refusal", "reasoning", "reasoning_content"}:
                if isinstance(value, str) and value:
                    self._texts.setdefault(key, []).append(value)
            elif key != "role" and value is not None:
                held = self._rest.get(key)
                grows = isinstance(held, list) and isinstance(value, list)
                self._rest[key] = [*cast("list[Any]", held), *cast("list[Any]", value)] if grows else value

    def _add_calls(self, pieces: Iterable[Any]) -> None:
        for piece in pieces:
            if not isinstance(piece, Mapping):
                continue
            part = cast("Mapping[str, Any]", piece)
            call = self._calls.setdefault(self._index(part), {"type": "function", "function": {"name": ""}})
            call |= {key: part[key] for key in ("id", *SIGNED) if part.get(key)}
            function = part.get("function")
            if isinstance(function, Mapping):
                _add_function(call["function"], cast("Mapping[str, Any]", function))

    def _index(self, part: Mapping[str, Any]) -> int:
        index = part.get("index")
        if isinstance(index, int):
            return index
        # No index: a new id begins a new call, anything else goes on with the last one.
        last = max(self._calls, default=-1)
        begins = bool(part.get("id")) and (last < 0 or self._calls[last].get("id") != part["id"])
        return last + 1 if begins or last < 0 else last


def _add_function(function: dict[str, Any], piece: Mapping[str, Any]) -> None:
    if isinstance(name := piece.get("name"), str) and name and function["name"] != name:
        function["name"] += name
    arguments = piece.get("arguments")
    if isinstance(arguments, str):
        function["arguments"] = function.get("arguments", "") + arguments
    elif arguments is not None:
        function["arguments"] = arguments
