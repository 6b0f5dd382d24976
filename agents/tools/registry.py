"""The names of the tools that ship with Remit, and how a name or `module:attribute` becomes a tool; imported late."""

from types import MappingProxyType

from agents.references import nearest, resolved
from agents.tools.function import Tool
from orchestrator.errors import TeamError

BUILTIN = MappingProxyType(
    {
        "arxiv.search": "agents.tools.builtin.web.arxiv:search",
        "calculator": "agents.tools.builtin.calculator:calculator",
        "clock": "agents.tools.builtin.clock:clock",
        "code.python": "agents.tools.builtin.code.python:python",
        "documents.read": "agents.tools.builtin.documents.read:read",
        "documents.search": "agents.tools.builtin.documents.search:search",
        "escalate": "agents.tools.builtin.escalate:escalate",
        "evidence.read": "agents.tools.builtin.evidence:read",
        "files.list": "agents.tools.builtin.files.read:list_files",
        "files.read": "agents.tools.builtin.files.read:read",
        "files.write": "agents.tools.builtin.files.write:write",
        "reconcile.match": "agents.tools.builtin.reconcile.tools:match",
        "reconcile.settle": "agents.tools.builtin.reconcile.tools:settle",
        "tables.profile": "agents.tools.builtin.tables.tools:profile",
        "tables.query": "agents.tools.builtin.tables.query:query",
        "web.fetch": "agents.tools.builtin.web.fetch:fetch",
    }
)
"""Built-in name → where it stands."""


def load_tool(reference: str) -> Tool:
    """The tool of this built-in name, or at this `module:attribute`. Raises TeamError in one line."""
    where = f"tool `{reference}`"
    if ":" not in reference and reference not in BUILTIN:
        known = nearest(reference, list(BUILTIN))
        mend = f"{known} Your own tools are named `package.module:function`."
        raise TeamError("there is no built-in tool of this name", where=where, mend=mend)
    found = resolved(BUILTIN.get(reference, reference))
    if not isinstance(found, Tool):
        what = f"it is a `{type(found).__name__}`, not a tool"
        raise TeamError(what, where=where, mend="Decorate the function with `@tool(…)` of agents.tools.function.")
    return found
