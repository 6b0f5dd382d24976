"""Child processes for heavy tools: a memory limit, a hard deadline, and no orphans."""

from agents.isolation.runner import Isolation

__all__ = ["Isolation"]
