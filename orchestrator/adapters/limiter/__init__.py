"""Rates of endpoints: in Redis for all workers together, in memory for one process."""
