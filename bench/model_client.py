"""CPU of one model call at 7 and at 200 messages: our adapter against the `openai` client's own `create()`.

    .venv/bin/python bench/model_client.py [--calls 200] [--json]

Both ask the same scripted server, which runs in a process of its own, with the same request; each transcript grows by
a call and its result before each call, as a loop's does. `CPU` is that of this process alone. Exits 1 when
our call needs more than the aims in AIMS.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from openai import OpenAI

from agents.models.base import Call, Message, ModelRequest, ToolSpec
from agents.models.openai_chat.endpoint import Endpoint
from agents.models.openai_chat.registry import Models
from orchestrator.ports.clock import Deadline

AIMS = {7: 2.5, 200: 4.0}
"""Milliseconds of CPU for one durable step, of which the model call is the largest part."""
ROUNDS = 5
SCRIPT = """
rules: [{reply: {calls: [{tool: lookup, arguments: {query: "item 1"}}], usage: {input: 321, output: 45}}}]
"""
SCHEMA = {
    "type": "object",
    "properties": {"query": {"type": "string", "description": "the item to look up"}},
    "required": ["query"],
}
TOOLS = (ToolSpec("lookup", "Look up an item and return what is known of it.", SCHEMA),)
RESULT = "A record of two thousand characters. " * 54


@contextmanager
def scripted_server() -> Generator[str]:
    """The scripted server as a child process; yields its base URL."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "script.yaml"
        script.write_text(SCRIPT, "utf-8")
        program = "from agents.cli.fake_model import app; app()"
        environment = dict(os.environ) | {"PYTHONPATH": str(Path(__file__).parent.parent)}
        command = [sys.executable, "-c", program, str(script)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as child:
            assert child.stdout is not None
            try:
                yield child.stdout.readline().split("answers on ")[1].strip()
            finally:
                child.terminate()


def transcript(length: int) -> list[Message]:
    """A system prompt, a goal (and a word more where the length is odd), then calls and their results."""
    messages = [Message("system", "You look things up. " * 40), Message("user", "Look up all the items.")]
    if length % 2:
        messages.append(Message("user", "Begin with the first."))
    while len(messages) < length:
        grow(messages)
    return messages


def grow(messages: list[Message]) -> None:
    """Append one call and its result."""
    call = Call(f"c{len(messages)}.0", "lookup", {"query": f"item {len(messages)}"})
    messages += [Message("assistant", calls=(call,)), Message("tool", RESULT, call_id=call.id)]


def as_dicts(messages: list[Message]) -> list[dict[str, Any]]:
    """The same transcript as one hands it to `create()`."""
    dicts: list[dict[str, Any]] = []
    for message in messages:
        member: dict[str, Any] = {"role": message.role, "content": message.text or None}
        if message.calls:
            member["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.tool, "arguments": json.dumps(call.arguments)},
                }
                for call in message.calls
            ]
        if message.call_id:
            member["tool_call_id"] = message.call_id
        dicts.append(member)
    return dicts


def our_call(models: Models, length: int) -> Callable[[], object]:
    """One call of ours; the two newest messages are new objects, as after a step, and the rest is known."""
    model = models.model()
    known = transcript(length - 2)

    def call() -> object:
        messages = list(known)
        grow(messages)
        return model.complete(ModelRequest(tuple(messages), TOOLS, 1, Deadline.after(30)))

    return call


def their_call(client: OpenAI, length: int) -> Callable[[], object]:
    """The same request by the client's own method."""
    messages: list[Any] = as_dicts(transcript(length))
    tools: list[Any] = [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
        }
        for tool in TOOLS
    ]
    return lambda: client.chat.completions.create(
        model="gpt-4o-mini", messages=messages, tools=tools, temperature=0.2, max_tokens=2048
    )


def cpu_per_call(call: Callable[[], object], calls: int) -> float:
    """Milliseconds of this process's CPU for one call."""
    call()
    began = time.process_time()
    for _ in range(calls):
        call()
    return (time.process_time() - began) / calls * 1000


def measure(url: str, length: int, calls: int) -> dict[str, float]:
    """Both ways at one length, in turns over several rounds; the best round of each."""
    with Models(Endpoint(url, "sk-bench", "gpt-4o-mini")) as models, OpenAI(api_key="sk-bench", base_url=url) as client:
        ours, theirs = our_call(models, length), their_call(client, length)
        rounds = [(cpu_per_call(ours, calls // ROUNDS), cpu_per_call(theirs, calls // ROUNDS)) for _ in range(ROUNDS)]
    best_ours, best_theirs = (min(way) for way in zip(*rounds, strict=True))
    return {"ours_ms": best_ours, "create_ms": best_theirs, "ratio": best_theirs / best_ours}


def main() -> int:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=200, help="at least 5")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with scripted_server() as url:
        found = {length: measure(url, length, options.calls) for length in AIMS}
    if options.json:
        print(json.dumps({f"model_client_{length}": result for length, result in found.items()}))
    else:
        for length, result in found.items():
            print(
                f"{length:>4} messages: ours {result['ours_ms']:.2f} ms CPU a call, "
                f"create() {result['create_ms']:.2f} ms, {result['ratio']:.1f} times as much (aim: {AIMS[length]} ms)"
            )
    return int(any(found[length]["ours_ms"] > aim for length, aim in AIMS.items()))


if __name__ == "__main__":
    sys.exit(main())
