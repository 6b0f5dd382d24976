"""Ports: what the orchestrator needs of the world, one Protocol a file."""
