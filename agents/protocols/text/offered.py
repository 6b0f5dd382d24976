"""What the parser knows of a tool: its name, its parameters and how far its calls may be interpreted."""

from collections.abc import Mapping
from typing import Any, Protocol

from agents.protocols.schemas import inlined
from orchestrator.domain.step import Effect


class OfferedTool(Protocol):
    """A tool that was offered to the model."""

    @property
    def name(self) -> str:
        """Its name, as we write it."""
        ...

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The JSON Schema of its arguments."""
        ...

    @property
    def effect(self) -> Effect:
        """What it does to the world."""
        ...


class Parameters:
    """The parameters of one tool, references written out."""

    def __init__(self, tool: OfferedTool) -> None:
        schema = inlined(tool.parameters, f"tool {tool.name}")
        self.schemas: Mapping[str, Mapping[str, Any]] = schema["properties"]
        self.required: tuple[str, ...] = tuple(schema.get("required", ()))

    @property
    def only(self) -> str | None:
        """The one parameter that a bare value can be meant for: the only one, or the only one that has to be there."""
        names = tuple(self.schemas) if len(self.schemas) == 1 else self.required
        return names[0] if len(names) == 1 else None

    def listed(self) -> str:
        """The names for a sentence, those first that have to be there."""
        names = dict.fromkeys((*self.required, *self.schemas))
        return ", ".join(f"`{name}`" for name in names)
