"""The engine: stations in the order of the flow, each a pure function to changes; `services/` alone does I/O."""
