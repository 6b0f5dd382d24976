"""Evaluations: what an agent should do with a goal, and whether a run did it; nothing here runs anything."""
