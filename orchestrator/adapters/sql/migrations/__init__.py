"""The migrations of the schema, oldest first; each `upgrade(op)` leads to its revision."""
