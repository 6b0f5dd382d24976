"""Chaos: decorators around the ports of a worker that break it at named points, by a plan; absent without one."""
