"""The files of a run as agents use them: what the goal came with, and what tools made."""
