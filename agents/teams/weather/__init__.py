"""The team that answers questions about the weather, with a model that has no tool calls of its own."""
