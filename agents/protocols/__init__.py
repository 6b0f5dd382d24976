"""Protocols: how a transcript and its tool calls are written for a model, and how its reply is read."""
